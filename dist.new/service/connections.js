import { ANON, AS_SERVICE, SERVICE_ROLE } from '../auth/authenticate.js';
import { createPgPool } from '../pg/pool.js';
import { milliseconds } from '../std/brand.js';
/** What functions and policies written for Supabase Storage expect to find. */
const SEARCH_PATH = 'storage, public, extensions';
/** Beyond a role's own limit, before a silent connection is given up. */
const GRACE = milliseconds(5_000);
const PREPARED_PER_ROLE = 250;
export function openConnections(config, urls, observe) {
    const common = {
        searchPath: SEARCH_PATH,
        statementTimeoutMs: (role) => timeoutOf(config, role),
        waitMs: config.poolWait,
        maxWaiting: config.poolQueue,
        graceMs: GRACE,
        preparedPerRole: config.preparedStatements ? PREPARED_PER_ROLE : 0,
        onIdleError: (error) => observe({ kind: 'note', level: 'warn', message: 'a database connection was lost', details: { reason: error.message } }),
    };
    const web = createPgPool({ ...common, url: urls.web, applicationName: 'stowage web', maxConnections: config.webConnections });
    const service = createPgPool({
        ...common,
        url: urls.service,
        applicationName: 'stowage service',
        maxConnections: config.serviceConnections,
    });
    return {
        asCaller: (batch, signal) => (batch.as.role === SERVICE_ROLE ? service : web).run(batch, signal),
        asService: (batch, signal) => service.run({ ...batch, as: AS_SERVICE }, signal),
        query: service.query,
        isAlive: (limitMs) => answersWithin(service, limitMs),
        end: async () => {
            await Promise.all([web.end(), service.end()]);
        },
    };
}
function timeoutOf(config, role) {
    if (role === SERVICE_ROLE)
        return config.serviceTimeout;
    return role === ANON ? config.anonTimeout : config.authenticatedTimeout;
}
async function answersWithin(pool, limitMs) {
    let timer;
    const late = new Promise((resolve) => {
        timer = setTimeout(() => resolve(false), limitMs);
    });
    const answered = pool.query({ text: '/* health.ask */ select 1', values: [] }).then(() => true, () => false);
    try {
        return await Promise.race([answered, late]);
    }
    finally {
        clearTimeout(timer);
    }
}
