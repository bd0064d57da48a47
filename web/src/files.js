// Files that a person drops in or opens: sent to the engine one by one, then the main one is loaded.

/** @typedef {{file: File, name: string}} Named */

const largest = 64 * 1024 * 1024; // bytes, as the server allows
const companions = ['mtl', 'png', 'jpg', 'jpeg', 'bin', 'tga', 'bmp', 'webp'];

/** @param {string} name @returns {string} "obj" */
export function ending_of(name) {
    return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

/**
 * Which of these files is the one to load, and in which order they go: what belongs to it goes first.
 * @param {string[]} names
 * @param {string[]} loadable endings that the engine can load
 * @returns {{main: string, more: string[], order: string[], left: string[]}} more: other surfaces, to be added; left: what
 *     belongs to none of them
 */
export function plan_upload(names, loadable) {
    const endings = loadable.map((ending) => ending.replace(/^\./, '').toLowerCase());
    const rank = (/** @type {string} */ name) => endings.indexOf(ending_of(name));
    // A scene comes before the surfaces that it names.
    const mains = names.filter((name) => rank(name) >= 0)
        .sort((a, b) => Number(ending_of(b) === 'json') - Number(ending_of(a) === 'json') || rank(a) - rank(b));
    if (mains.length === 0) {
        const list = endings.map((ending) => `.${ending}`).join(', ');
        throw new Error(`${names.join(', ') || 'nothing'}: none of these can be loaded; expected one of ${list}`);
    }
    const [main] = mains;
    // A scene names its surfaces itself; .node comes with its .ele.
    const stem = (/** @type {string} */ name) => name.slice(0, name.lastIndexOf('.'));
    const more = ending_of(main) === 'json' ? [] : mains.slice(1).filter((name) => (
        ending_of(name) !== 'json' && !(['node', 'ele'].includes(ending_of(name)) && mains.some((other) => other !== name && stem(other) === stem(name)))));
    const known = names.filter((name) => name !== main && (rank(name) >= 0 || companions.includes(ending_of(name))));
    return { main, more, order: [...known, main], left: names.filter((name) => name !== main && !known.includes(name)) };
}

/**
 * @param {string} address
 * @param {File} file
 * @param {(sent: number) => void} progress bytes
 * @returns {Promise<void>}
 */
export function send_file(address, file, progress) {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
        request.open('POST', address);
        request.upload.onprogress = (event) => progress(event.loaded);
        request.onload = () => {
            if (request.status >= 200 && request.status < 300) {
                resolve();
            } else {
                reject(new Error(`${file.name}: ${reason_of(request)}`));
            }
        };
        request.onerror = () => reject(new Error(`${file.name}: the engine did not take it (the connection was cut)`));
        request.send(file);
    });
}

/** @param {XMLHttpRequest} request */
function reason_of(request) {
    const text = request.responseText.trim();
    try {
        const { message } = JSON.parse(text);
        if (message) {
            return String(message);
        }
    } catch {
        // not JSON: plain text, or nothing
    }
    return text && text.length < 300 && !text.startsWith('<') ? text : `the engine refused it (${request.status})`;
}

/**
 * @param {File[]} files
 * @param {string[]} loadable
 * @param {(name: string) => string} address_for
 * @param {(share: number, name: string) => void} progress
 * @returns {Promise<{main: string, more: string[], left: string[]}>} the main file's name and those of other bodies, when all
 *     are there; left: not sent
 */
export async function upload(files, loadable, address_for, progress) {
    const { main, more, order, left } = plan_upload(files.map((file) => file.name), loadable);
    const chosen = order.map((name) => /** @type {File} */ (files.find((file) => file.name === name)));
    const tooLarge = chosen.find((file) => file.size > largest);
    if (tooLarge) {
        throw new Error(`${tooLarge.name}: has ${Math.ceil(tooLarge.size / 2 ** 20)} MB; expected at most 64`);
    }
    const empty = chosen.find((file) => file.size === 0);
    if (empty) {
        throw new Error(`${empty.name}: is empty`);
    }
    const total = Math.max(1, chosen.reduce((sum, file) => sum + file.size, 0));
    let before = 0;
    for (const file of chosen) {
        progress(before / total, file.name);
        await send_file(address_for(file.name), file, (sent) => progress((before + sent) / total, file.name));
        before += file.size;
    }
    progress(1, main);
    return { main, more, left };
}

/** All files of a drop, also those in folders. @param {DataTransfer} transfer @returns {Promise<File[]>} */
export async function dropped_files(transfer) {
    const entries = [...transfer.items]
        .map((item) => item.webkitGetAsEntry?.())
        .filter((entry) => entry !== null && entry !== undefined);
    if (entries.length === 0) {
        return [...transfer.files];
    }
    return (await Promise.all(entries.map(files_of))).flat();
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} */
async function files_of(entry) {
    if (entry.isFile) {
        return [
            await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject)),
        ];
    }
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    /** @type {FileSystemEntry[]} */
    const inside = [];
    for (;;) { // a folder is read in pieces
        /** @type {FileSystemEntry[]} */
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (some.length === 0) {
            return (await Promise.all(inside.map(files_of))).flat();
        }
        inside.push(...some);
    }
}
