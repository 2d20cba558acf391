import { milliseconds } from '../../std/brand.js';
import { countExpiredIntents, expireIntents, renewVersions } from '../rows/ledger.sql.js';
import { countOutbox, endLease, findWork, SCAN_LEASE, SWEEP_LEASE, takeLease } from '../rows/sweep.sql.js';
import { drainOutbox } from './drain-outbox.js';
import { scanStore } from './scan-store.js';
import { whyNotOurs } from './store-identity.js';
const LEASE_LIFE = milliseconds(60_000);
const NOTHING = { removed: 0, postponed: 0, left: 0 };
/**
 * Removes bytes that nobody can reach: one process at a time, in small steps, each of which may be repeated.
 * Versions in the outbox go; reservations that ran out join them; now and then the whole store is compared with the ledger.
 * Without the mark that ties the store to the database nothing is removed. A pass that finds nothing to do writes nothing.
 */
export function createSweeper(deps) {
    const { asService, inFlight, marker, options } = deps;
    const holder = deps.newId();
    const stopping = new AbortController();
    let timer;
    let running = Promise.resolve();
    const run = async (statements) => asService({ access: 'read write', end: 'commit', settings: [], statements }, stopping.signal);
    const number = async (statement) => Number((await run([statement]))[0]?.[0]?.[0] ?? 0);
    const takes = async (name, who, lifeMs) => ((await run([takeLease(name, who, lifeMs)]))[0]?.length ?? 0) > 0;
    /** also when stopping: the next process need not wait for the lease to end by itself */
    const giveBack = (name, who) => asService({ access: 'read write', end: 'commit', settings: [], statements: [endLease(name, who)] }, new AbortController().signal).catch(() => undefined);
    const keepLease = () => takes(SWEEP_LEASE, holder, LEASE_LIFE);
    async function sweep({ dryRun = false, scan, beyondLimits = false }) {
        const report = (more) => ({ idle: null, dryRun, expired: 0, outbox: NOTHING, scan: null, ...more });
        const held = inFlight.versions();
        const [rows] = (await run([...(held.length > 0 ? [renewVersions(held)] : []), findWork(options.graceMs, options.readerGraceMs)])).slice(-1);
        const [storeId = null, hasOutbox, hasExpired, scanDue] = rows?.[0] ?? [];
        const foreign = whyNotOurs(await marker.read(), storeId);
        if (foreign !== null)
            return report({ idle: foreign });
        const scanning = scan ?? scanDue === 't';
        if (dryRun) {
            return report({
                expired: await number(countExpiredIntents(options.graceMs)),
                outbox: { ...NOTHING, left: await number(countOutbox()) },
                scan: scanning ? await scanStore({ ...deps, run }, { dryRun, beyondLimits, goOn: async () => true }) : null,
            });
        }
        if (!scanning && hasOutbox !== 't' && hasExpired !== 't')
            return report({});
        if (!(await keepLease()))
            return report({ idle: 'another process is sweeping' });
        try {
            const expired = await number(expireIntents(options.graceMs));
            const scanned = scanning ? await scanOnce(scan === true, beyondLimits) : null;
            const outbox = await drainOutbox({ ...deps, run }, { goOn: async () => !stopping.signal.aborted && (await keepLease()) });
            return report({ expired, scan: scanned, outbox });
        }
        finally {
            await giveBack(SWEEP_LEASE, holder);
        }
    }
    /** The next listing is due after the interval, or after the grace when this one left suspects to look at again. */
    async function scanOnce(asked, beyondLimits) {
        const looker = deps.newId();
        if (!(await takes(SCAN_LEASE, looker, options.scanIntervalMs)) && !asked)
            return null;
        try {
            const scanned = await scanStore({ ...deps, run }, { dryRun: false, beyondLimits, goOn: keepLease });
            const suspects = scanned.unknown - scanned.condemned;
            if (scanned.refused === null && suspects > 0)
                await takes(SCAN_LEASE, looker, milliseconds(Math.min(options.graceMs, options.scanIntervalMs)));
            return scanned;
        }
        catch (error) {
            await giveBack(SCAN_LEASE, looker);
            throw error;
        }
    }
    /** One pass at a time in a process, too. */
    function sweepOnce(once = {}) {
        const pass = running.then(() => sweep(once));
        running = pass.catch(() => undefined);
        return pass;
    }
    async function tick() {
        try {
            deps.observe({ kind: 'swept', report: await sweepOnce() });
        }
        catch (error) {
            if (!stopping.signal.aborted)
                deps.observe({ kind: 'sweep failed', error });
        }
        if (!stopping.signal.aborted)
            schedule();
    }
    function schedule() {
        timer = setTimeout(tick, options.intervalMs);
        timer.unref();
    }
    return {
        start: schedule,
        stop: async () => {
            stopping.abort();
            clearTimeout(timer);
            await running;
        },
        sweepOnce,
    };
}
