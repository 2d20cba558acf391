/** JSON with the text of its numbers kept. Objects have no prototype: any key is just a key. */
export type Json = null | boolean | JsonNumber | string | readonly Json[] | JsonObject;
export type JsonObject = {
    readonly [key: string]: Json;
};
/** A JSON number by its text, `{ text: "9007199254740993" }`; a class, so that it is never taken for an object of the caller's. */
export declare class JsonNumber {
    readonly text: string;
    constructor(text: string);
}
