import { aggregateNotEnabled, unknownConnectionField, unknownEdgeField, unknownPageInfoField } from '../errors.js';
import { collectFields } from '../operation/collect-fields.js';
import { planAggregate } from './plan-aggregate.js';
import { planFilter } from './plan-filter.js';
import { planSelectedNode, refuseArguments } from './plan-node.js';
import { planOrder } from './plan-order.js';
import { readPage } from './plan-page.js';
const ARGUMENTS = ['first', 'last', 'before', 'after', 'offset', 'filter', 'orderBy'];
/** A connection: which rows, in which order, which page of them, and what of it is asked for. */
export function planCollection(context, entity, field, from) {
    refuseArguments(field, ...ARGUMENTS, ...(from.otherArguments ?? []));
    const argument = (name) => field.args.find((arg) => arg.name === name)?.value;
    const pageOf = readPage(context, { first: argument('first'), last: argument('last'), offset: argument('offset'), before: argument('before'), after: argument('after') }, entity.maxRows);
    const where = planFilter(context, argument('filter'), entity);
    const order = planOrder(context, argument('orderBy'), entity);
    return {
        source: from.source,
        relation: entity.relation,
        join: from.join,
        where,
        order,
        page: pageOf(order),
        select: collectFields(context.operation, field.selections, `${entity.name}Connection`).flatMap((selected) => planConnectionField(context, entity, selected)),
    };
}
function planConnectionField(context, entity, field) {
    const key = field.responseKey;
    const { totalCount, aggregate } = entity.relation.directives;
    switch (field.name) {
        case '__typename':
            return [{ key, kind: 'literal', json: JSON.stringify(`${entity.name}Connection`) }];
        case 'edges':
            return [{ key, kind: 'edges', fields: planEdge(context, entity, field) }];
        case 'pageInfo':
            return [{ key, kind: 'page info', fields: planPageInfo(context, field) }];
        case 'totalCount':
            if (totalCount)
                return [{ key, kind: 'total count' }];
            throw unknownConnectionField(field);
        case 'aggregate':
            if (!aggregate)
                throw aggregateNotEnabled(field);
            return field.selections.length > 0 ? [{ key, kind: 'aggregate', fields: planAggregate(context, entity, field) }] : [];
        default:
            throw unknownConnectionField(field);
    }
}
function planEdge(context, entity, edges) {
    return collectFields(context.operation, edges.selections, `${entity.name}Edge`).map((field) => {
        const key = field.responseKey;
        switch (field.name) {
            case '__typename':
                return { key, kind: 'literal', json: JSON.stringify(`${entity.name}Edge`) };
            case 'cursor':
                return { key, kind: 'cursor' };
            case 'node':
                refuseArguments(field);
                return { key, kind: 'node', node: planSelectedNode(context, entity, field) };
            default:
                throw unknownEdgeField(field);
        }
    });
}
const PAGE_INFO = new Map([
    ['hasNextPage', 'has next page'],
    ['hasPreviousPage', 'has previous page'],
    ['startCursor', 'start cursor'],
    ['endCursor', 'end cursor'],
]);
function planPageInfo(context, pageInfo) {
    return collectFields(context.operation, pageInfo.selections, 'PageInfo').map((field) => {
        const key = field.responseKey;
        if (field.name === '__typename')
            return { key, kind: 'literal', json: '"PageInfo"' };
        const kind = PAGE_INFO.get(field.name);
        if (!kind)
            throw unknownPageInfoField(field);
        return { key, kind };
    });
}
