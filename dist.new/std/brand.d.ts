declare const brand: unique symbol;
/** A value whose name or unit is part of its type: a number of bytes is not a number of seconds. */
export type Brand<T, Name extends string> = T & {
    readonly [brand]: Name;
};
export type Bytes = Brand<number, 'Bytes'>;
export type Milliseconds = Brand<number, 'Milliseconds'>;
export type Seconds = Brand<number, 'Seconds'>;
export type RoleName = Brand<string, 'RoleName'>;
export declare const bytes: (n: number) => Bytes;
export declare const milliseconds: (n: number) => Milliseconds;
export declare const seconds: (n: number) => Seconds;
export declare const roleName: (name: string) => RoleName;
export {};
