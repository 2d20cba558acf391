import { StartupError } from '../config/startup-error.js';
/** Progress and advice, kept apart from what a command answers. */
export const say = (line) => console.error(`stowage: ${line}`);
/** What a command answers. */
export const print = (text) => console.log(text);
/** A reason that the person can do something about as it is; a fault of ours with its place. */
export function complain(error) {
    if (error instanceof StartupError)
        say(error.message.includes('\n') ? `${error.message.replaceAll(/^/gm, '  - ').trimStart()}` : error.message);
    else
        say(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}
/** Names on the left, values in a column. */
export function table(rows) {
    const width = Math.max(...rows.map(([name]) => name.length));
    return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
