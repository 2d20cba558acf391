import { OPTIONS, type Option, type OptionValue } from './options.ts'
import { inBytes, inTime } from './setting-types.ts'

/** The manual's page about settings, in Markdown. */
export function describeOptions(): string {
  const options = Object.values(OPTIONS) as Option<OptionValue>[]
  const secrets = options.filter(({ secret }) => secret).map(({ env }) => env)
  const rows = options.map(
    (option) => `| \`${option.env}\` | ${option.type.form} | ${valueText(option, option.fallback)} | ${option.sentence} |`,
  )
  return `# Configuration

Settings are environment variables; an empty one counts as absent. All problems are reported at once, and a \`STOWAGE_\` name that is none of
these is one. \`stowage check-config\` reads the settings without starting anything and shows what is in force.
The secrets (${secrets.map((name) => `\`${name}\``).join(', ')}) can also be given as files: \`JWT_SECRET_FILE\` names one, and so on.

| Setting | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}
`
}

/** A value as a person would write it. Secrets are not shown. */
export function valueText(option: Option<OptionValue>, value: OptionValue): string {
  if (value === null) return 'none'
  if (option.secret) return 'set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'object') return value.length > 0 ? value.join(', ') : 'none'
  if (option.type.unit === 'bytes') return inBytes(Number(value))
  if (option.type.unit === 'seconds') return inTime(Number(value))
  return String(value)
}
