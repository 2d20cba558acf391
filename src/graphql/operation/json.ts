/** JSON with the text of its numbers kept. Objects have no prototype: any key is just a key. */
export type Json = null | boolean | JsonNumber | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** A JSON number by its text, `{ text: "9007199254740993" }`; a class, so that it is never taken for an object of the caller's. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What `Object.create(null)` makes is a hash table in the engine, several times as dear as an object with a constructor. */
const WithoutPrototype = function WithoutPrototype() {} as unknown as { new (): { [key: string]: Json }; prototype: object }
WithoutPrototype.prototype = Object.freeze(Object.create(null))

/** A {@link JsonObject} to be filled. */
export const createJsonObject = (): { [key: string]: Json } => new WithoutPrototype()
