import { ServiceError } from '../../std/service-error.ts';
/** The four members that every client reads at least one of, in the peer's order. */
export type StorageErrorBody = {
    readonly statusCode: string;
    readonly error: string;
    readonly message: string;
    readonly code: string;
};
export type DressedError = {
    readonly status: number;
    readonly body: StorageErrorBody;
};
export type StatusStyle = 'legacy' | 'real';
/** A named error in the peer's dress. */
export declare function dressError({ code, status, message }: ServiceError, style: StatusStyle): DressedError;
/** For what nobody named: our bug, or a disk that failed. Says nothing about it. */
export declare const internalError: () => ServiceError;
