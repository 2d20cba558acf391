/** What bounds the work one GraphQL document can cause. Each default is far above what applications send. */
export declare const GRAPHQL_LIMITS: {
    readonly documentCharacters: {
        readonly unit: 'characters';
        readonly default: 131072;
        readonly sentence: 'Longest GraphQL document.';
    };
    readonly tokens: {
        readonly unit: 'tokens';
        readonly default: 10000;
        readonly sentence: 'Most tokens of one document (names, punctuation, values).';
    };
    readonly brackets: {
        readonly unit: 'levels';
        readonly default: 50;
        readonly sentence: 'Deepest nesting of braces, brackets and parentheses of one document, counted together.';
    };
    readonly fragments: {
        readonly unit: 'fragments';
        readonly default: 1000;
        readonly sentence: 'Most fragment definitions of one document.';
    };
    readonly aliases: {
        readonly unit: 'aliases';
        readonly default: 500;
        readonly sentence: 'Most aliased fields of one document.';
    };
    readonly directives: {
        readonly unit: 'directives';
        readonly default: 1000;
        readonly sentence: 'Most directives of one document.';
    };
    readonly rootFields: {
        readonly unit: 'fields';
        readonly default: 100;
        readonly sentence: 'Most root fields of one operation after fragments are put in.';
    };
    readonly expandedFields: {
        readonly unit: 'selections';
        readonly default: 10000;
        readonly sentence: 'Most selections of one operation after fragments are put in.';
    };
    readonly introspectionDepth: {
        readonly unit: 'levels';
        readonly default: 3;
        readonly sentence: 'Deepest nesting of lists (fields, args, types and their like, except `types` at the top) in an introspection.';
    };
    readonly introspectionRepeats: {
        readonly unit: 'times';
        readonly default: 4;
        readonly sentence: 'How many times over one introspection answer may show what the schema holds; 10,000 objects are always allowed.';
    };
    readonly introspectionCharacters: {
        readonly unit: 'characters';
        readonly default: 67108864;
        readonly sentence: 'Longest introspection answer.';
    };
    readonly filterTerms: {
        readonly unit: 'terms';
        readonly default: 1000;
        readonly sentence: 'Most comparisons and connectives in the filters of one operation.';
    };
    readonly boundValues: {
        readonly unit: 'values';
        readonly default: 65535;
        readonly sentence: 'Most values of one statement; PostgreSQL takes no more.';
    };
};
export type GraphqlLimits = {
    readonly [Name in keyof typeof GRAPHQL_LIMITS]: number;
};
export declare const DEFAULT_GRAPHQL_LIMITS: GraphqlLimits;
