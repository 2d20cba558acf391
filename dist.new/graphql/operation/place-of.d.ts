import type { ASTNode } from 'graphql';
/** Where a node starts, 1-based, for `errors[].locations`. Documents are always parsed with locations. */
export declare function placeOf(node: ASTNode): {
    readonly line: number;
    readonly column: number;
};
