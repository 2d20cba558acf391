/** Computed at the first call, then remembered. */
export function lazy(compute) {
    let known = null;
    return () => {
        known ??= { value: compute() };
        return known.value;
    };
}
