/** At most `most` pieces of work at a time; the others wait in order of arrival. */
export function createTurnstile(most) {
    const waiting = [];
    let inside = 0;
    return async (work) => {
        if (inside >= most)
            await new Promise((resolve) => waiting.push(resolve));
        else
            inside++;
        try {
            return await work();
        }
        finally {
            const next = waiting.shift();
            if (next)
                next();
            else
                inside--;
        }
    };
}
