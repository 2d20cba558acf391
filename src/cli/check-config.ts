import { Command } from 'commander'
import { valueText } from '../config/describe-options.ts'
import { loadConfig } from '../config/load-config.ts'
import { type Config, OPTIONS, type Option, type OptionValue } from '../config/options.ts'
import { print, say, table } from './terminal.ts'

export const checkConfigCommand = (): Command =>
  new Command('check-config').description('read the settings, start nothing, and show what is in force').action(checkConfig)

async function checkConfig(): Promise<void> {
  const { config, warnings, given } = loadConfig()
  for (const warning of warnings) say(`warning: ${warning}`)
  const rows = (Object.entries(OPTIONS) as [keyof Config, Option<OptionValue>][]).map(([name, option]): [string, string] => [
    option.env,
    `${valueText(option, config[name])}${given.has(name) ? '' : '  (default)'}`,
  ])
  print(table(rows))
}
