/**
 * What we answer otherwise than pg_graphql 1.6, and the cases that show it: those that the record marks as a quirk of the peer, and under
 * `also` others in which such a quirk shows. A case that is answered as recorded may not stand here. docs/compatibility.md tells this list.
 */
export const DIFFERENCES: readonly {
  readonly ours: string
  /** what the peer does, where no record of a quirk says it */
  readonly theirs?: string
  readonly cases: readonly string[]
  readonly also?: readonly string[]
}[] = [
  {
    ours: 'Fragments on the interface Node apply to the types that implement it.',
    cases: [
      'library/protocol/fragment: on Node under a concrete type',
      'library/protocol/fragment: inline on Node',
      'library/node_and_key/node: named fragment on Node',
      'library/node_and_key/node: inline fragment on Node',
      'library/node_and_key/by key: inline fragment on Node',
    ],
  },
  {
    ours: '@skip and @include look at the declared default of a variable that was not sent.',
    cases: ['library/protocol/directive: variable with a default, not sent'],
  },
  {
    ours: 'Strings may hold surrogate pairs as escapes, \\b is a backspace, and U+0000 is refused instead of ending the text.',
    theirs: 'no surrogate pairs, which specifications after 2021 ask for; \\b is U+0010; the text ends at U+0000',
    cases: [
      'library/protocol/syntax error: surrogate pair escapes',
      'library/protocol/string value: backspace escape',
      'library/protocol/syntax error: null character escape',
    ],
  },
  {
    ours: 'A selection of which nothing remains gives an empty object.',
    cases: [
      'library/protocol/directive: on the only nested field',
      'library/protocol/fragment: only an inline of another type',
      'library/node_and_key/node: no branch applies',
    ],
  },
  {
    ours: 'A record asked for without a selection is refused in words, not by an error of the database.',
    cases: [
      'library/relationships/bad relation: no selection on node',
      'library/relationships/bad relation: no selection on to-one',
      'library/node_and_key/node: no selection',
      'library/mutations/insert: records without a selection',
      'naming/names/clashing names a foreign key column called like its table, as a scalar',
    ],
  },
  {
    ours: 'and, or with nothing but empty entries count as not given.',
    cases: ['library/filters/compound filter: and with only empty entries', 'library/filters/compound filter: or with only empty entries'],
  },
  {
    ours: 'A list where one value is meant is refused in words.',
    cases: ['library/filters/filter book: Opaque given a list', 'library/node_and_key/by key: list'],
  },
  {
    ours: 'startsWith on case-insensitive text ignores case, as every other operator does.',
    cases: ['library/filters/filter case-insensitive text: startsWith', 'library/types/where: aCitext: {startsWith: "MI"}'],
  },
  {
    ours: 'A page after a cursor holds the rows with null that come after it.',
    cases: [
      'library/reading/paging over nulls: AscNullsLast',
      'library/reading/paging over nulls: DescNullsLast',
      'naming/keys_and_relations/enum with illegal labels after a cursor of a mapped value',
    ],
  },
  {
    ours: 'Any number of fields can be selected, and every alias is answered.',
    cases: [
      'naming/names/wide table all 61 columns by key',
      'naming/names/wide table sixty aliases of pageInfo fields',
      'naming/names/wide table sixty aliases of totalCount',
      'library/totals/aggregate: aggregate aliased twice',
    ],
  },
  {
    ours: '__typename is answered wherever an object is.',
    cases: [
      'library/totals/aggregate: __typename inside sum',
      'library/mutations/delete: no row matches, only __typename',
      'library/mutations/update: no row matches, only __typename',
    ],
  },
  {
    ours: 'min and max of booleans: false before true.',
    cases: ['library/totals/aggregate: min of a boolean'],
  },
  {
    ours: 'Computed fields may return enums.',
    cases: ['library/computed_and_functions/computed: enum'],
  },
  {
    ours: 'An insert of an empty object inserts a row of defaults.',
    cases: ['library/mutations/insert: empty object'],
  },
  {
    ours: 'A function that writes and returns a set is called once, and its rows are answered.',
    cases: [
      'library/mutations/set-returning function that writes',
      'library/mutations/set-returning function that writes, with page facts',
    ],
  },
  {
    ours: 'Keys may have any name and any type: nodeIds of quoted columns and of JSON objects lead back.',
    cases: [
      'naming/names/nodeId of a key that needs quotes camel case',
      'naming/names/nodeId of a key with a space, nodeId',
      'naming/keys_and_relations/key of jsonb by node',
    ],
  },
  {
    ours: 'INCLUDE columns are no part of the key.',
    cases: ['naming/keys_and_relations/key of an included column', 'naming/keys_and_relations/key of an included column, by key'],
    also: ['naming/keys_and_relations/key of four columns shuffled, arguments', 'naming/names/function list of fields'],
  },
  {
    ours: 'A unique index on an expression does not make a relation one to one.',
    cases: [
      'naming/keys_and_relations/relation with a unique index on an expression',
      'naming/keys_and_relations/relation fields of the referenced type',
    ],
    also: ['naming/keys_and_relations/closed schema relation from an open type, introspected'],
  },
  {
    ours: 'Labels of enums that are no GraphQL names are read and written, and not listed.',
    cases: ['naming/keys_and_relations/enum with illegal labels type'],
  },
  {
    ours: 'Partitioned tables are exposed.',
    cases: ['naming/keys_and_relations/key of partitioned table'],
  },
  {
    ours: 'An input has one field of a name.',
    cases: [
      'naming/names/clashing names a column called nodeId in the filter',
      'naming/names/clashing names columns with one name in the insert',
    ],
  },
  {
    ours: 'Names that are no GraphQL names are left out of inputs too.',
    cases: [
      'naming/names/illegal names of columns in the insert input',
      'naming/names/illegal names of columns in the update input',
      'naming/names/overridden by an illegal name, column, in the input',
      'naming/names/illegal names given in an insert',
    ],
  },
  {
    ours: 'A column that holds a row of another table is a field of that type, and no input.',
    cases: [
      'naming/keys_and_relations/relation of a column holding a row, inserted',
      'naming/keys_and_relations/relation of a column holding a row, partly selected',
    ],
    also: ['naming/keys_and_relations/relation of a column holding a row, in the types'],
  },
  {
    ours: 'The filter of an enum that introspection hides is hidden too.',
    cases: ['naming/keys_and_relations/closed schema enum'],
  },
  {
    ours: 'A comment directive that is no JSON is left out, and nothing else fails.',
    theirs: 'every request fails',
    cases: [],
    also: ['tenants/schemas/after a comment that is not JSON', 'tenants/schemas/after a comment that is not JSON, elsewhere'],
  },
  {
    ours: 'Relations of a type stand in the order in which their foreign keys were created, also after the schema changed.',
    theirs: 'their order changes',
    cases: [],
    also: [
      'tenants/schemas/relation nullability without row level security on the referenced table',
      'tenants/schemas/relation nullability with row level security on the referenced table',
      'tenants/schemas/relation nullability with a nullable column',
    ],
  },
  {
    ours: 'Without a usable schema the API is an empty one.',
    cases: ['tenants/schemas/search path empty', 'tenants/schemas/after USAGE of the schema revoked'],
  },
  {
    ours: 'Rows whose key column is not granted can be read; their nodeId and cursors cannot.',
    cases: ['tenants/schemas/after a revoked key column', 'tenants/schemas/after a revoked key column, with nodeId'],
  },
]

/** Where the same differences show in a whole introspection, a line of which is `.types.Type.fields.name.…`. */
export const INTROSPECTED_DIFFERENCES: readonly RegExp[] = [
  // an input has one field of a name
  /^\.types\.(NodeClash|Clashes|TwinColumns|Paint)\w*(Filter|Input|OrderBy)\.inputFields\./,
  // an enum that introspection hides takes its filter along
  /^\.types\.ClosedKindFilter\b/,
  // names that are no GraphQL names are left out of inputs
  /^\.types\.(OddColumns|BadColumnOverride|SpacedKey)(Insert|Update)Input\.inputFields\./,
  /^\.types\.Query\.fields\.spacedKeyByPk\./,
  // labels of enums that are no names are not listed
  /^\.types\.Signal\.enumValues\.(not ok!|true|ÄÖ|1up|)\.(description|isDeprecated|deprecationReason)\b/,
  // a unique index on an expression does not make a relation one to one
  /^\.types\.Team\.fields\.expressionOne(Collection)?\./,
  // INCLUDE columns are no part of the key
  /^\.types\.Query\.fields\.includedKeyByPk\./,
  // a column that holds a row is no input
  /^\.types\.RowHolder(InsertInput|UpdateInput|OrderBy)\.inputFields\.held\./,
]
