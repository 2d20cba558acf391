import { invalidRobotsTag, unusableHeaderValue } from './errors.js';
import { isHeaderText } from './media-type.js';
const WORDS = new Set(['all', 'noindex', 'nofollow', 'none', 'nosnippet', 'indexifembedded', 'notranslate', 'noimageindex']);
const PREVIEWS = ['none', 'standard', 'large'];
const MAX_CHARACTERS = 1000;
/**
 * An X-Robots-Tag as it may be stored: rules divided by commas, each list under an optional name of a robot
 * (developers.google.com/search/docs/crawling-indexing/robots-meta-tag). Kept as written.
 * @throws InvalidRobotsTag
 */
export function robotsTag(header) {
    if (!header)
        return null;
    if (!isHeaderText(header))
        throw unusableHeaderValue('x-robots-tag', header);
    if (header.length > MAX_CHARACTERS)
        throw invalidRobotsTag(`longer than ${MAX_CHARACTERS} characters`);
    for (const rule of header.split(','))
        checkRule(rule.trim());
    return header;
}
function checkRule(rule) {
    if (rule === '' || WORDS.has(rule.toLowerCase()))
        return;
    const colon = rule.indexOf(':');
    if (colon < 0)
        throw invalidRobotsTag(`Invalid X-Robots-Tag rule: "${rule}"`);
    const name = rule.slice(0, colon).trim();
    const value = rule.slice(colon + 1).trim();
    switch (name.toLowerCase()) {
        case 'max-snippet':
        case 'max-video-preview':
            if (!/^(?:-1|\d+)$/.test(value))
                throw invalidRobotsTag(`X-Robots-Tag "${name}" value must be an integer >= -1, got: "${value}"`);
            return;
        case 'max-image-preview':
            if (!PREVIEWS.includes(value))
                throw invalidRobotsTag(`X-Robots-Tag "${name}" value must be one of: ${PREVIEWS.join(', ')}, got: "${value}"`);
            return;
        case 'unavailable_after':
            if (Number.isNaN(Date.parse(value)))
                throw invalidRobotsTag(`X-Robots-Tag "${name}" value must be a date, got: "${value}"`);
            return;
        default:
            if (!/^[\w-]+$/.test(name))
                throw invalidRobotsTag(`Invalid X-Robots-Tag rule: "${rule}"`);
            checkRule(value);
    }
}
