import { assertNever } from '../std/assert-never.js';
/** What the storage face tells, as an operator's log has it: alarms are failures. */
export const observeStorage = (observe) => (observation) => {
    switch (observation.kind) {
        case 'bytes missing': {
            const { bucket, version } = observation;
            observe({ kind: 'failure', message: 'an object has no bytes in the store', error: null, details: { bucket, version } });
            return;
        }
        case 'upload given up':
            observe({ kind: 'failure', message: 'bytes were stored and could not be published', error: observation.error });
            return;
        case 'bucket emptied': {
            const { bucket, objects, done } = observation;
            observe({ kind: 'note', level: 'info', message: 'a bucket was emptied', details: { bucket, objects, done } });
            return;
        }
        default:
            assertNever(observation);
    }
};
/** A pass that did nothing is not worth a line. */
export const observeSweep = (observe) => (observation) => {
    if (observation.kind === 'sweep failed') {
        observe({ kind: 'failure', message: 'the sweeper could not do its work', error: observation.error });
        return;
    }
    const { idle, expired, outbox, scan } = observation.report;
    const refused = scan?.refused ?? null;
    if (idle === null && expired === 0 && outbox.removed === 0 && outbox.postponed === 0 && scan === null)
        return;
    const otherSweeps = idle === 'another process is sweeping';
    observe({
        kind: 'note',
        level: refused !== null || outbox.postponed > 0 || (idle !== null && !otherSweeps) ? 'warn' : otherSweeps ? 'debug' : 'info',
        message: 'swept',
        details: { idle, expired, removed: outbox.removed, postponed: outbox.postponed, left: outbox.left, orphansRefused: refused },
    });
};
