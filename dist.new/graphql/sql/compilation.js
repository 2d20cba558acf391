export function startCompilation(compileCollection) {
    let count = 0;
    return { nextAlias: () => `t${++count}`, compileCollection };
}
