/** Where a node starts, 1-based, for `errors[].locations`. Documents are always parsed with locations. */
export function placeOf(node) {
    const token = node.loc?.startToken;
    return { line: token?.line ?? 1, column: token?.column ?? 1 };
}
