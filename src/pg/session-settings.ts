type SessionSetting = { readonly name: string; readonly value: string; readonly isOurs: (shown: string) => boolean }

const exactly = (name: string, value: string): SessionSetting => ({ name, value, isOurs: (shown) => shown === value })

/** What our SQL counts on, whatever the database or a role has set: quoting, and how numbers and times are written. */
const NEEDED: readonly SessionSetting[] = [
  exactly('standard_conforming_strings', 'on'),
  { name: 'datestyle', value: 'ISO', isOurs: (shown) => shown.startsWith('ISO') },
  exactly('intervalstyle', 'postgres'),
  exactly('bytea_output', 'hex'),
  exactly('extra_float_digits', '1'),
]

/** What makes it fast, or bounds a harm. */
const WANTED: readonly SessionSetting[] = [exactly('jit', 'off'), exactly('idle_in_transaction_session_timeout', '10s')]

export const SESSION_SETTINGS: readonly Pick<SessionSetting, 'name' | 'value'>[] = [...NEEDED, ...WANTED]

/** Of a session at its start: as `options`, which stand before whatever database and role say (PostgreSQL manual 32.1.2). */
export const SESSION_OPTIONS = SESSION_SETTINGS.map(({ name, value }) => `-c ${name}=${value}`).join(' ')

const show = (settings: readonly SessionSetting[]) => settings.map(({ name }) => `current_setting('${name}') as ${name}`).join(', ')

/** One row, a column a setting. */
export const SHOW_SETTINGS = `/* session.settings */ select ${show([...NEEDED, ...WANTED])}`

/** Of a row of {@link SHOW_SETTINGS}: whether all are ours, and which of those that answers depend on is not. */
export function compareSettings(row: Readonly<Record<string, string>>): { readonly all: boolean; readonly wrong: string | null } {
  const isOff = ({ name, isOurs }: SessionSetting) => !isOurs(row[name] ?? '')
  return { all: ![...NEEDED, ...WANTED].some(isOff), wrong: NEEDED.find(isOff)?.name ?? null }
}
