/** Runs one command line; `args` without the program's name. A failure becomes one sentence and exit code 1. */
export declare function main(args: readonly string[]): Promise<void>;
