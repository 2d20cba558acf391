import { type Bytes, bytes, type Milliseconds, milliseconds } from '../std/brand.ts'

/** How a setting's text is understood. `read` throws a {@link BadSetting} that says what it expected. */
export type SettingType<T> = {
  /** for people: "a number from 0 to 65535" */
  readonly form: string
  readonly unit: string | null
  readonly read: (text: string) => T
}

export class BadSetting extends Error {
  override readonly name = 'BadSetting'
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}
const MILLISECOND_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 }

const plain = <T>(form: string, read: (text: string) => T): SettingType<T> => ({ form, unit: null, read })

export const text: SettingType<string> = plain('text', (given) => given)

export const integer = (min: number, max: number): SettingType<number> =>
  plain(`a whole number from ${min} to ${max}`, (given) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    if (number >= min && number <= max) return number
    throw new BadSetting(`a whole number from ${min} to ${max}`)
  })

export const share: SettingType<number> = plain('a number from 0 to 1', (given) => {
  const number = /^(?:0|1|[01]?\.\d{1,9})$/.test(given) ? Number(given) : Number.NaN
  if (number >= 0 && number <= 1) return number
  throw new BadSetting('a number from 0 to 1')
})

export const flag: SettingType<boolean> = plain('on or off', (given) => {
  const word = given.toLowerCase()
  if (['on', 'true', 'yes', '1'].includes(word)) return true
  if (['off', 'false', 'no', '0'].includes(word)) return false
  throw new BadSetting('on or off')
})

export const oneOf = <const Word extends string>(...words: readonly Word[]): SettingType<Word> => {
  const form = words.join(', ').replace(/, ([^,]*)$/, ' or $1')
  return plain(form, (given) => {
    const word = words.find((candidate) => candidate === given)
    if (word !== undefined) return word
    throw new BadSetting(form)
  })
}

/** Names between commas. */
export const list: SettingType<readonly string[]> = plain('names between commas', (given) =>
  given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''),
)

export const size = (min: number, max: number): SettingType<Bytes> => ({
  form: 'bytes, or a number with KB, MB, GB, KiB, MiB or GiB',
  unit: 'bytes',
  read: (given) => {
    const amount = Math.floor(withUnit(given, BYTE_UNITS, 1))
    if (amount >= min && amount <= max) return bytes(amount)
    throw new BadSetting(`a size between ${inBytes(min)} and ${inBytes(max)}, like 50MB or 5GiB`)
  },
})

export const duration = (minMs: number, maxMs: number): SettingType<Milliseconds> => ({
  form: 'seconds, or a number with ms, s, m, h or d',
  unit: 'seconds',
  read: (given) => {
    const amount = Math.round(withUnit(given, MILLISECOND_UNITS, 1000))
    if (amount >= minMs && amount <= maxMs) return milliseconds(amount)
    throw new BadSetting(`a time between ${inTime(minMs)} and ${inTime(maxMs)}, like 30s or 2h`)
  },
})

/** A number for people: the largest unit that leaves it whole. */
export const inBytes = (amount: number): string => inUnits(amount, { TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 }, 'bytes')
export const inTime = (ms: number): string => inUnits(ms, { d: 8.64e7, h: 3.6e6, m: 6e4, s: 1e3 }, 'ms')

function inUnits(amount: number, units: Readonly<Record<string, number>>, smallest: string): string {
  for (const [name, factor] of Object.entries(units)) if (amount >= factor && amount % factor === 0) return `${amount / factor} ${name}`
  return `${amount} ${smallest}`
}

function withUnit(given: string, units: Readonly<Record<string, number>>, bare: number): number {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(given) ?? []
  const factor = unit ? units[unit.toLowerCase()] : bare
  return number === undefined || factor === undefined ? Number.NaN : Number(number) * factor
}
