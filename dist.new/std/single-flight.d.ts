/** One call at a time per key: callers that come while it runs share its outcome. */
export declare function singleFlight<Key, Value>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value>;
