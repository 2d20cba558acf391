import type { FastifyInstance } from 'fastify';
export type HealthDeps = {
    /** false from the moment the service begins to stop, and while its database does not answer */
    readonly isReady: () => Promise<boolean>;
};
/** For supervisors and load balancers: `live` says that the process answers, `ready` that it should be given requests. */
export declare function registerHealthRoutes(app: FastifyInstance, deps: HealthDeps): void;
