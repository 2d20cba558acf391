import { OPTIONS } from './options.js';
import { inBytes, inTime } from './setting-types.js';
/** The manual's page about settings, in Markdown. */
export function describeOptions() {
    const rows = Object.values(OPTIONS).map((option) => `| \`${option.env}\` | ${option.type.form} | ${valueText(option, option.fallback)} | ${option.sentence} |`);
    return `# Configuration

Settings are environment variables; an empty one counts as absent. All problems are reported at once, and a \`STOWAGE_\` name that is none of
these is one. \`stowage check-config\` reads the settings without starting anything and shows what is in force.
The secrets \`JWT_SECRET\` and \`DATABASE_URL\` can also be given as files: \`JWT_SECRET_FILE\`, \`DATABASE_URL_FILE\`.

| Setting | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}
`;
}
/** A value as a person would write it. Secrets are not shown. */
export function valueText(option, value) {
    if (value === null)
        return 'none';
    if (option.secret)
        return 'set';
    if (typeof value === 'boolean')
        return value ? 'on' : 'off';
    if (typeof value === 'object')
        return value.length > 0 ? value.join(', ') : 'none';
    if (option.type.unit === 'bytes')
        return inBytes(Number(value));
    if (option.type.unit === 'seconds')
        return inTime(Number(value));
    return String(value);
}
