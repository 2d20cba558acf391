import { bytes, milliseconds } from '../std/brand.js';
export class BadSetting extends Error {
    name = 'BadSetting';
}
const BYTE_UNITS = {
    b: 1,
    kb: 1e3,
    mb: 1e6,
    gb: 1e9,
    tb: 1e12,
    kib: 2 ** 10,
    mib: 2 ** 20,
    gib: 2 ** 30,
    tib: 2 ** 40,
};
const MILLISECOND_UNITS = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 };
const plain = (form, read) => ({ form, unit: null, read });
export const text = plain('text', (given) => given);
export const integer = (min, max) => plain(`a whole number from ${min} to ${max}`, (given) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (number >= min && number <= max)
        return number;
    throw new BadSetting(`a whole number from ${min} to ${max}`);
});
export const flag = plain('on or off', (given) => {
    const word = given.toLowerCase();
    if (['on', 'true', 'yes', '1'].includes(word))
        return true;
    if (['off', 'false', 'no', '0'].includes(word))
        return false;
    throw new BadSetting('on or off');
});
export const oneOf = (...words) => {
    const form = words.join(', ').replace(/, ([^,]*)$/, ' or $1');
    return plain(form, (given) => {
        const word = words.find((candidate) => candidate === given);
        if (word !== undefined)
            return word;
        throw new BadSetting(form);
    });
};
/** Names between commas. */
export const list = plain('names between commas', (given) => given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== ''));
export const size = (min, max) => ({
    form: 'bytes, or a number with KB, MB, GB, KiB, MiB or GiB',
    unit: 'bytes',
    read: (given) => {
        const amount = Math.floor(withUnit(given, BYTE_UNITS, 1));
        if (amount >= min && amount <= max)
            return bytes(amount);
        throw new BadSetting(`a size between ${inBytes(min)} and ${inBytes(max)}, like 50MB or 5GiB`);
    },
});
export const duration = (minMs, maxMs) => ({
    form: 'seconds, or a number with ms, s, m, h or d',
    unit: 'seconds',
    read: (given) => {
        const amount = Math.round(withUnit(given, MILLISECOND_UNITS, 1000));
        if (amount >= minMs && amount <= maxMs)
            return milliseconds(amount);
        throw new BadSetting(`a time between ${inTime(minMs)} and ${inTime(maxMs)}, like 30s or 2h`);
    },
});
/** A number for people: the largest unit that leaves it whole. */
export const inBytes = (amount) => inUnits(amount, { TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10 }, 'bytes');
export const inTime = (ms) => inUnits(ms, { d: 8.64e7, h: 3.6e6, m: 6e4, s: 1e3 }, 'ms');
function inUnits(amount, units, smallest) {
    for (const [name, factor] of Object.entries(units))
        if (amount >= factor && amount % factor === 0)
            return `${amount / factor} ${name}`;
    return `${amount} ${smallest}`;
}
function withUnit(given, units, bare) {
    const [, number, unit] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(given) ?? [];
    const factor = unit ? units[unit.toLowerCase()] : bare;
    return number === undefined || factor === undefined ? Number.NaN : Number(number) * factor;
}
