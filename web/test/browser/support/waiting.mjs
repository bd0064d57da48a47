// Tests wait for what must become true, never for a time; how long it takes is the machine's affair.

export const patience = Number(process.env.LIMBER_PATIENCE ?? 120); // s; only what never comes takes as long

/** @param {number} milliseconds */
export function sleep(milliseconds) {
    return new Promise((done) => { setTimeout(done, milliseconds); });
}

/**
 * @template T
 * @param {string} what "the page is ready": said when it never comes
 * @param {() => T | Promise<T>} look
 * @param {() => unknown} [tell] what else to say then
 * @returns {Promise<NonNullable<T>>} the first value that is not empty
 */
export async function until(what, look, tell) {
    const end = Date.now() + 1000 * patience;
    for (;;) {
        const value = await look();
        if (value) {
            return value;
        }
        if (Date.now() > end) {
            const told = tell ? `; ${JSON.stringify(await tell())}` : '';
            throw new Error(`waited ${patience} s and it never was: ${what}${told}`);
        }
        await sleep(40);
    }
}
