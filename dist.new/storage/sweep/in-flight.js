export function createInFlight() {
    const held = new Set();
    return {
        hold: (version) => {
            held.add(version);
            return () => {
                held.delete(version);
            };
        },
        versions: () => [...held],
    };
}
