import { LRUCache } from 'lru-cache';
import { holds } from './operation/guards.js';
import { GraphqlError } from './operation/operation.js';
import { suppliedVariables } from './operation/read-operation.js';
const MAX_VARIANTS = 16;
const MAX_GUARDS = 2_000;
/** Plans by role schema and document. A schema that was replaced takes its plans with it. */
export function createPlanCache(options) {
    const bySchema = new WeakMap();
    return {
        find: (schema, request) => {
            const variants = bySchema.get(schema)?.get(keyOf(request));
            if (!variants)
                return null;
            for (const variant of variants) {
                const bound = bindVariant(variant, request);
                if (bound)
                    return bound;
            }
            return null;
        },
        keep: (schema, request, variant) => {
            if (variant.guards.length > MAX_GUARDS)
                return;
            let plans = bySchema.get(schema);
            if (!plans) {
                plans = new LRUCache({ max: options.maxDocuments, maxSize: options.maxCharacters, sizeCalculation: sizeOf });
                bySchema.set(schema, plans);
            }
            const key = keyOf(request);
            plans.set(key, [variant, ...(plans.peek(key) ?? [])].slice(0, MAX_VARIANTS));
        },
    };
}
const keyOf = ({ query, operationName }) => (operationName === null ? query : `${operationName}\u0000${query}`);
function sizeOf(variants, key) {
    let size = key.length + 1;
    for (const { statements, parts } of variants) {
        for (const { text } of statements)
            size += text.length;
        for (const part of parts)
            if (part.from === 'document')
                size += part.json.length;
    }
    return size;
}
/** null: these variables need another plan, or cannot be bound at all; planning anew says why. */
function bindVariant(variant, request) {
    try {
        const variables = { supplied: suppliedVariables(request), defaults: variant.defaults };
        for (const guard of variant.guards)
            if (!holds(guard, variables))
                return null;
        return bindStatements(variant, variables);
    }
    catch (error) {
        if (error instanceof GraphqlError)
            return null;
        throw error;
    }
}
const bindStatements = (variant, variables) => ({
    kind: variant.kind,
    parts: variant.parts,
    statements: variant.statements.map(({ text, params }) => ({
        text,
        values: params.map((bound) => (bound.rebind ? bound.rebind(variables) : bound.text)),
    })),
});
