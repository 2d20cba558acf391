/** Orders names as people do: digits count as numbers, `a9` comes before `a10`; everything else by UTF-16 code. As graphql-js does. */
export declare function naturalCompare(left: string, right: string): number;
