import type { FastifyInstance } from 'fastify';
/**
 * Tells a taken port before anything was started for nothing; the listening itself may still fail.
 * @throws StartupError
 */
export declare function checkAddress(host: string, port: number): Promise<void>;
/** Answers the address that clients on this machine use. @throws StartupError */
export declare function listen(app: FastifyInstance, host: string, port: number): Promise<string>;
export declare function baseUrlOf(host: string, port: number): string;
