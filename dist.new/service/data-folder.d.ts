/**
 * Makes the data folder if need be, closed to other accounts whatever the umask, and answers its real path.
 * @throws StartupError when it cannot be used
 */
export declare function openDataFolder(path: string): Promise<string>;
