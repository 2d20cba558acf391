/** Orders names as people do: digits count as numbers, `a9` comes before `a10`; everything else by UTF-16 code. As graphql-js does. */
export function naturalCompare(left, right) {
    const lefts = left.match(PIECES) ?? [];
    const rights = right.match(PIECES) ?? [];
    for (let i = 0; i < lefts.length && i < rights.length; i++) {
        const a = lefts[i] ?? '';
        const b = rights[i] ?? '';
        const difference = isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
        if (difference !== 0)
            return difference;
    }
    return left.length - right.length;
}
/** a number without its leading zeros, each of which is a piece of its own; any other UTF-16 unit */
const PIECES = /0|[1-9]\d*|[\s\S]/g;
const isNumber = (piece) => /^\d/.test(piece);
