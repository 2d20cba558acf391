import { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Observe } from '../observe/observation.ts';
import type { Bytes, Milliseconds } from '../std/brand.ts';
import { type HealthDeps } from './admin/health.ts';
export type AppOptions = HealthDeps & {
    readonly corsOrigins: readonly string[];
    readonly jsonLimit: Bytes;
    readonly headerTimeout: Milliseconds;
    readonly idleTimeout: Milliseconds;
    readonly maxConnections: number;
    readonly logger: FastifyBaseLogger;
    readonly observe: Observe;
    /** each registers its routes in a context of its own */
    readonly faces: readonly Face[];
};
export type Face = {
    readonly prefix: string;
    readonly register: (scope: FastifyInstance) => void | Promise<void>;
};
declare module 'fastify' {
    interface FastifyRequest {
        /** the role of the caller, noted by whoever authenticates, for the log */
        callerRole: string | null;
    }
    interface FastifyContextConfig {
        /** no line in the log unless it fails */
        quiet?: boolean;
    }
}
/** The HTTP server with what holds for every route; what is particular to a face lies in the face. */
export declare function createApp(options: AppOptions): Promise<FastifyInstance>;
