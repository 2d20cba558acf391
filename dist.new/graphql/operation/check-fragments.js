import { fragmentCycle, fragmentsTooDeep } from '../errors.js';
import { placeOf } from './place-of.js';
/**
 * Refuses fragments that reach themselves, used or not, and those nested more than 50 deep. The definition counts 1, each
 * selection set inside and each spread followed 1 more (pg_graphql's count). Looks at every definition once.
 * @throws GraphqlError
 */
export function checkFragments(byName) {
    const heights = new Map();
    const open = new Set();
    const walkFragment = (fragment, depth) => {
        if (open.has(fragment))
            throw fragmentCycle(placeOf(fragment));
        const known = heights.get(fragment);
        if (depth + (known ?? 1) - 1 > DEEPEST)
            throw fragmentsTooDeep(placeOf(fragment));
        if (known !== undefined)
            return known;
        open.add(fragment);
        const height = walkSelections(fragment.selectionSet, depth);
        open.delete(fragment);
        heights.set(fragment, height);
        return height;
    };
    /** levels from here down, this one included */
    const walkSelections = (set, depth) => {
        if (depth > DEEPEST)
            throw fragmentsTooDeep(placeOf(set));
        let height = 1;
        for (const selection of set.selections) {
            if (selection.kind === 'FragmentSpread') {
                for (const fragment of byName.get(selection.name.value) ?? [])
                    height = Math.max(height, 1 + walkFragment(fragment, depth + 1));
            }
            else if (selection.selectionSet) {
                height = Math.max(height, 1 + walkSelections(selection.selectionSet, depth + 1));
            }
        }
        return height;
    };
    for (const fragments of byName.values())
        for (const fragment of fragments)
            walkFragment(fragment, 1);
}
const DEEPEST = 50;
