const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const IMF = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC_850 = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;
/** Whole seconds since 1970 of an HTTP date in any of its three forms (RFC 9110 5.6.7); null: it is none. */
export function httpDateSeconds(text) {
    const imf = IMF.exec(text);
    if (imf)
        return seconds(imf[3], imf[2], imf[1], imf.slice(4));
    const asctime = ASCTIME.exec(text);
    if (asctime)
        return seconds(asctime[6], asctime[1], asctime[2], asctime.slice(3, 6));
    const rfc850 = RFC_850.exec(text);
    if (!rfc850)
        return null;
    // a two-digit year: 1970 to 2069, which needs no clock
    const year = Number(rfc850[3]);
    return seconds(String(year < 70 ? 2000 + year : 1900 + year), rfc850[2], rfc850[1], rfc850.slice(4));
}
function seconds(year = '', month = '', day = '', time) {
    const at = MONTHS.indexOf(month);
    const [hour, minute, second] = time.map(Number);
    if (at < 0)
        return null;
    const ms = Date.UTC(Number(year), at, Number(day), hour, minute, second);
    return Number.isNaN(ms) ? null : ms / 1000;
}
/** IMF-fixdate, second precision. */
export const httpDate = (date) => date.toUTCString();
