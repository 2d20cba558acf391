import { classifyStored, condemnSuspects, countVersions, recordSuspects } from '../rows/sweep.sql.js';
const PAGE = 1000;
const ALWAYS_ALLOWED = 10;
/**
 * The second net, for what a lost reservation, a restored database or a switched-off trigger left behind: compares what is stored with
 * what the database knows. It trusts neither side: a version must be unknown in two listings a grace apart, the store must hold nearly
 * all that it should, and only few may be unknown.
 */
export async function scanStore({ run, bytes, options }, { dryRun, beyondLimits, goOn }) {
    const count = async () => (await run([countVersions()]))[0]?.[0] ?? [];
    const [countedBefore, began] = await count();
    const before = Number(countedBefore);
    const allowed = beyondLimits
        ? Number.POSITIVE_INFINITY
        : Math.min(options.maxOrphans, Math.max(ALWAYS_ALLOWED, Math.floor(before * options.maxOrphanShare)));
    const seen = { stored: 0, current: 0, unknown: 0 };
    const report = (refused, condemned = 0, after = before) => ({
        stored: seen.stored,
        missing: Math.max(0, Math.min(before, after) - seen.current),
        unknown: seen.unknown,
        condemned,
        refused,
    });
    for (let after = null, atEnd = false; !atEnd;) {
        const page = await bytes.list(after, PAGE);
        atEnd = page.length < PAGE;
        const [rows] = page.length > 0 ? await run([classifyStored(page)]) : [];
        const unknown = uuidsIn(rows?.[0]?.[0]);
        seen.stored += page.length;
        seen.current += Number(rows?.[0]?.[1] ?? 0);
        seen.unknown += unknown.length;
        if (seen.unknown > allowed) {
            return report(`more than ${allowed} stored versions are unknown to the database, which knows ${before}: too many to be left-overs`);
        }
        const last = atEnd ? null : (page.at(-1) ?? null);
        if (!dryRun)
            await run(recordSuspects(unknown, after, last));
        if (!(await goOn()))
            return report('another process is sweeping');
        after = last;
    }
    const now = Number((await count())[0]);
    const { missing } = report(null, 0, now);
    if (seen.stored === 0 && Math.min(before, now) > 0)
        return report(`the store is empty, but ${before} objects have bytes in it`, 0, now);
    if (missing > Math.max(ALWAYS_ALLOWED, before * options.maxOrphanShare)) {
        return report(`the bytes of ${missing} of ${before} objects are not in the store: is it the right one?`, 0, now);
    }
    if (dryRun)
        return report(null, 0, now);
    const condemned = Number((await run([condemnSuspects(options.graceMs, began ?? '-infinity')]))[0]?.[0]?.[0]);
    return report(null, condemned, now);
}
/** PostgreSQL's text of a uuid[] has neither quotes nor blanks. */
const uuidsIn = (text) => text && text !== '{}' ? text.slice(1, -1).split(',') : [];
