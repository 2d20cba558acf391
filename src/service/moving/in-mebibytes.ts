/** For people. */
export const inMebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
