import { invariant } from '../std/invariant.js';
import { columnDirectives, DirectiveError, enumDirectives, foreignKeyDirectives, functionDirectives, relationDirectives, schemaDirectives, } from './directives.js';
const RELATION_KINDS = {
    r: 'table',
    v: 'view',
    m: 'materialized view',
    f: 'foreign table',
    p: 'partitioned table',
};
const TYPE_KINDS = {
    b: 'base',
    c: 'composite',
    d: 'domain',
    e: 'enum',
    p: 'pseudo',
    r: 'range',
    m: 'multirange',
};
const VOLATILITIES = { i: 'immutable', s: 'stable', v: 'volatile' };
const BPCHAR = 1042;
const VARCHAR = 1043;
/** Rows of the reflection query -> {@link Catalog}. `roles` in the order in which the query was given them. */
export function decodeCatalog(rows, roles) {
    const reader = directiveReader();
    const schemas = (rows.schemas ?? []).map(([oid, name, comment]) => ({ oid, name, directives: reader.read(schemaDirectives, comment) }));
    const schemaOf = new Map(schemas.map((schema) => [schema.oid, schema]));
    const types = new Map((rows.types ?? []).map((row) => [row[0], decodeType(row)]));
    const typeOf = (oid) => {
        const type = types.get(oid);
        invariant(type, `type ${oid} is used but was not reflected`);
        return type;
    };
    const relations = new Map();
    for (const row of rows.relations ?? []) {
        const schema = schemaOf.get(row[1]);
        if (schema)
            relations.set(row[0], decodeRelation(row, schema, typeOf, reader.read(relationDirectives, row[6])));
    }
    return {
        version: rows.version ?? '',
        schemas,
        relations,
        foreignKeys: [...constraints(rows.foreignKeys ?? [], relations), ...declaredForeignKeys(relations)],
        types,
        functions: (rows.functions ?? []).flatMap((row) => decodeFunction(row, schemaOf, typeOf) ?? []),
        grants: new Map(roles.map((role, i) => [role, decodeGrants(rows, i)])),
        directiveError: reader.error(),
    };
}
/** The first directive of a wrong form is what requests are told; everything is decoded all the same. */
function directiveReader() {
    let error = null;
    return {
        read(read, comment) {
            try {
                return read(comment);
            }
            catch (failure) {
                if (!(failure instanceof DirectiveError))
                    throw failure;
                error ??= failure.message;
                return read(null);
            }
        },
        error: () => error,
    };
}
function decodeType([oid, schema, name, kind, element, base, relation, labels, comment, sql]) {
    return {
        oid,
        schema,
        name,
        kind: TYPE_KINDS[kind] ?? 'base',
        element: element === 0 ? null : element,
        base: base === 0 ? null : base,
        relation: relation === 0 ? null : relation,
        labels: labels ?? [],
        directives: enumDirectives(comment),
        sql,
    };
}
function decodeRelation(row, schema, typeOf, directives) {
    const [oid, , name, kind, rowType, rowSecurity, , columnRows, primaryKey, uniqueKeys] = row;
    const columns = (columnRows ?? []).map((column) => decodeColumn(column, typeOf));
    const numbered = (numbers) => columns.filter((column) => numbers.includes(column.number));
    const namedByComment = () => (directives.primaryKeyColumns ?? []).flatMap((wanted) => columns.find((column) => column.name === wanted) ?? []);
    return {
        oid,
        schema,
        name,
        kind: RELATION_KINDS[kind] ?? 'table',
        rowType,
        rowSecurity,
        columns,
        primaryKey: primaryKey ? numbered(primaryKey) : namedByComment(),
        uniqueKeys: (uniqueKeys ?? []).map(numbered),
        directives,
    };
}
function decodeColumn([number, name, type, modifier, notNull, generated, serial, declared, comment], typeOf) {
    return {
        number,
        name,
        type: typeOf(type),
        // the modifier of varchar(n) and char(n) is n + 4 (PostgreSQL's VARHDRSZ)
        maxLength: (type === VARCHAR || type === BPCHAR) && modifier >= 4 ? modifier - 4 : type === CHAR ? 1 : null,
        notNull,
        generated,
        serial,
        declared,
        directives: columnDirectives(comment),
    };
}
const CHAR = 18;
function* constraints(rows, relations) {
    for (const [fromOid, fromNumbers, toOid, toNumbers, comment] of rows) {
        const from = relations.get(fromOid);
        const to = relations.get(toOid);
        if (!from || !to)
            continue;
        const pick = (relation, numbers) => numbers.flatMap((n) => relation.columns.find((column) => column.number === n) ?? []);
        yield { from, fromColumns: pick(from, fromNumbers), to, toColumns: pick(to, toNumbers), directives: foreignKeyDirectives(comment), declared: false };
    }
}
function* declaredForeignKeys(relations) {
    for (const from of relations.values()) {
        for (const declared of from.directives.foreignKeys) {
            const to = [...relations.values()].find((r) => r.schema.name === declared.foreignSchema && r.name === declared.foreignTable);
            if (!to)
                continue;
            const pick = (relation, names) => names.flatMap((name) => relation.columns.find((column) => column.name === name) ?? []);
            const fromColumns = pick(from, declared.localColumns);
            const toColumns = pick(to, declared.foreignColumns);
            if (fromColumns.length !== declared.localColumns.length || toColumns.length !== declared.foreignColumns.length)
                continue;
            yield { from, fromColumns, to, toColumns, directives: { localName: declared.localName, foreignName: declared.foreignName }, declared: true };
        }
    }
}
function decodeFunction(row, schemaOf, typeOf) {
    const [oid, schemaOid, name, argTypes, argNames, defaults, defaultsText, returns, returnsSet, rows, volatility, variadic, out, comment] = row;
    const schema = schemaOf.get(schemaOid);
    if (!schema)
        return null;
    return {
        oid,
        schema,
        name,
        args: argTypes.map((type, i) => ({ name: argNames[i] ?? '', type: typeOf(type) })),
        defaults,
        defaultsText,
        returns: typeOf(returns),
        returnsSet,
        rows,
        volatility: VOLATILITIES[volatility] ?? 'volatile',
        variadic,
        hasOutArguments: out === true,
        directives: functionDirectives(comment),
    };
}
function decodeGrants(rows, role) {
    const relations = new Map();
    for (const [forRole, relation, select, insert, update, remove] of rows.grants ?? []) {
        if (forRole === role)
            relations.set(relation, { select: columnGrant(select), insert: columnGrant(insert), update: columnGrant(update), delete: remove });
    }
    return {
        schemas: new Set((rows.schemas ?? []).flatMap(([oid, , , usage]) => (usage[role] ? [oid] : []))),
        types: new Set((rows.types ?? []).flatMap((row) => (row[11][role] ? [row[0]] : []))),
        typeSchemas: new Set((rows.types ?? []).flatMap((row) => (row[10][role] ? [row[0]] : []))),
        functions: new Set((rows.functions ?? []).flatMap((row) => (row[14][role] ? [row[0]] : []))),
        relations,
    };
}
const columnGrant = (grant) => (grant === true ? 'all' : new Set(grant ?? []));
