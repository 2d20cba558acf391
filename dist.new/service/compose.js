import { createAuthenticate } from '../auth/authenticate.js';
import { BadKeySet, sessionKeys } from '../auth/session-keys.js';
import { StartupError } from '../config/startup-error.js';
import { createApp } from '../http/app.js';
import { registerGraphqlRoute } from '../http/graphql/route.js';
import { registerStorageRoutes } from '../http/storage/register-storage-routes.js';
import { composeGraphql } from './compose-graphql.js';
import { composeStorage } from './compose-storage.js';
import { openConnections } from './connections.js';
const HEALTH_LIMIT_MS = 1_000;
/** Builds everything out of the configuration, and starts nothing. The only place that knows every part. */
export async function compose(deps) {
    const { config, dataFolder, jwtSecret, log } = deps;
    const { observe } = log;
    const authenticate = createAuthenticate({ keys: keysOf(config, jwtSecret), extraRoles: config.extraRoles, now: () => new Date() });
    const connections = openConnections(config, deps.logins, observe);
    try {
        const storage = await composeStorage({ config, dataFolder, jwtSecret, connections, authenticate, observe });
        const graphql = composeGraphql(config, connections, authenticate, observe);
        let serving = false;
        const app = await createApp({
            ...config,
            logger: log.logger,
            observe,
            isReady: async () => serving && (await connections.isAlive(HEALTH_LIMIT_MS)),
            faces: [
                { prefix: '', register: (scope) => registerStorageRoutes(scope, storage.routes) },
                { prefix: '/storage/v1', register: (scope) => registerStorageRoutes(scope, storage.routes) },
                { prefix: '', register: (scope) => registerGraphqlRoute(scope, graphql) },
            ],
        });
        return {
            app,
            begin: () => {
                serving = true;
                storage.sweeper.start();
            },
            withdraw: () => {
                serving = false;
            },
            end: async () => {
                await storage.stop();
                await connections.end();
            },
        };
    }
    catch (error) {
        await connections.end();
        throw error;
    }
}
function keysOf(config, jwtSecret) {
    try {
        return sessionKeys(jwtSecret, config.jwks);
    }
    catch (error) {
        if (error instanceof BadKeySet)
            throw new StartupError(`STOWAGE_JWKS cannot be used: ${error.message}.`, { cause: error });
        throw error;
    }
}
