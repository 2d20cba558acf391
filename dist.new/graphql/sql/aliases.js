export function createAliases() {
    let count = 0;
    return { next: () => `t${++count}` };
}
