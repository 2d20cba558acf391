import { type Bytes, type Milliseconds } from '../std/brand.ts';
/** How a setting's text is understood. `read` throws a {@link BadSetting} that says what it expected. */
export type SettingType<T> = {
    /** for people: "a number from 0 to 65535" */
    readonly form: string;
    readonly unit: string | null;
    readonly read: (text: string) => T;
};
export declare class BadSetting extends Error {
    readonly name = "BadSetting";
}
export declare const text: SettingType<string>;
export declare const integer: (min: number, max: number) => SettingType<number>;
export declare const flag: SettingType<boolean>;
export declare const oneOf: <const Word extends string>(...words: readonly Word[]) => SettingType<Word>;
/** Names between commas. */
export declare const list: SettingType<readonly string[]>;
export declare const size: (min: number, max: number) => SettingType<Bytes>;
export declare const duration: (minMs: number, maxMs: number) => SettingType<Milliseconds>;
/** A number for people: the largest unit that leaves it whole. */
export declare const inBytes: (amount: number) => string;
export declare const inTime: (ms: number) => string;
