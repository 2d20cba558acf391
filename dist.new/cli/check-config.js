import { Command } from 'commander';
import { valueText } from '../config/describe-options.js';
import { loadConfig } from '../config/load-config.js';
import { OPTIONS } from '../config/options.js';
import { print, say, table } from './terminal.js';
export const checkConfigCommand = () => new Command('check-config').description('read the settings, start nothing, and show what is in force').action(checkConfig);
async function checkConfig() {
    const { config, warnings, given } = loadConfig();
    for (const warning of warnings)
        say(`warning: ${warning}`);
    const rows = Object.entries(OPTIONS).map(([name, option]) => [
        option.env,
        `${valueText(option, config[name])}${given.has(name) ? '' : '  (default)'}`,
    ]);
    print(table(rows));
}
