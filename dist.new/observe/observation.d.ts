/** What is worth telling an operator. Logs (and later metrics) are folds over it; nothing of a token, a key or a body is in it. */
export type Observation = RequestObservation | NoteObservation | FailureObservation;
export type RequestObservation = {
    readonly kind: 'request';
    readonly id: string;
    readonly method: string;
    /** the route's template, never the address; null when no route fits */
    readonly route: string | null;
    readonly status: number;
    readonly ms: number;
    /** null: no token was looked at */
    readonly role: string | null;
    /** of the response's body, as announced */
    readonly bytes: number | null;
    /** the client left before it had its answer */
    readonly aborted: boolean;
};
/** Something that happened, as words and numbers of ours. */
export type NoteObservation = {
    readonly kind: 'note';
    readonly level: 'debug' | 'info' | 'warn';
    readonly message: string;
    readonly details?: Readonly<Record<string, string | number | boolean | null>>;
};
/** Something that should not have happened. */
export type FailureObservation = {
    readonly kind: 'failure';
    readonly message: string;
    readonly error: unknown;
    readonly requestId?: string;
    readonly details?: Readonly<Record<string, string | number | boolean | null>>;
};
export type Observe = (observation: Observation) => void;
