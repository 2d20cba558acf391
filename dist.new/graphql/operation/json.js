/** A JSON number by its text, `{ text: "9007199254740993" }`; a class, so that it is never taken for an object of the caller's. */
export class JsonNumber {
    text;
    constructor(text) {
        this.text = text;
    }
}
