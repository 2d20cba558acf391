/** A description before what it describes, on lines of its own; nothing for null. Printed as graphql-js 16 prints it. */
export declare function printDescription(description: string | null, indentation: string, firstInBlock: boolean): string;
