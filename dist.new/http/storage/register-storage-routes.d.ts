import type { FastifyInstance } from 'fastify';
import type { StorageRouteDeps } from './route-deps.ts';
/** The storage API below the prefix of `app`. */
export declare function registerStorageRoutes(app: FastifyInstance, deps: StorageRouteDeps): Promise<void>;
