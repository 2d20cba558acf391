import { answerIntrospection } from './introspection/answer-introspection.js';
import { collectGuards } from './operation/guards.js';
import { readOperation } from './operation/read-operation.js';
import { planOperation } from './plan/plan-operation.js';
import { typeSystemOf } from './schema/type-system-of.js';
import { compileOperation } from './sql/compile-operation.js';
/**
 * A request against a role's schema -> statements with their values: out of the plan cache, or read, planned and compiled.
 * @throws GraphqlError when the request as a whole cannot be answered
 */
export function prepareRequest({ documents, plans, limits }, schema, request) {
    const known = plans.find(schema, request);
    if (known)
        return { ...known, errors: [] };
    const { planned, guards, defaults } = planRequest({ documents, limits }, schema, request);
    const compiled = compileOperation(planned.kind, planned.roots);
    if (planned.errors.length === 0)
        plans.keep(schema, request, { ...compiled, kind: planned.kind, guards, defaults });
    return {
        kind: planned.kind,
        parts: compiled.parts,
        statements: compiled.statements.map(({ text, params }) => ({ text, values: params.map((bound) => bound.text) })),
        errors: planned.errors,
    };
}
/** The stages before SQL: read, then plan. Also what `explain` shows. */
export function planRequest({ documents, limits }, schema, request) {
    const collected = collectGuards();
    const operation = readOperation(request, documents.parse, limits, collected);
    const planned = planOperation(schema, operation, limits, (field) => answerIntrospection(typeSystemOf(schema), operation, field, limits));
    return { planned, guards: collected.recorded, defaults: operation.variables.defaults };
}
