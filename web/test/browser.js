// Opens the page of a running `limber play` in a headless Chromium that draws without a graphics card.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const flags = [
    '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update', '--no-first-run', '--hide-scrollbars',
];
const program = fileURLToPath(new URL('../../build/limber', import.meta.url));

export function find_chromium() {
    const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
    const folders = (process.env.PATH ?? '').split(delimiter);
    const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
    const found = process.env.CHROMIUM ?? places.find((file) => existsSync(file));
    if (!found) {
        throw new Error('no Chromium on the PATH; install it (Debian: apt-get install chromium) or set CHROMIUM');
    }
    return found;
}

/** @param {import('playwright-core').LaunchOptions} options */
export function launch_browser(options = {}) {
    return chromium.launch({ executablePath: find_chromium(), args: flags, ...options });
}

/**
 * Starts the engine.
 * @param {string[]} options
 * @returns {Promise<{address: string, stop: () => void}>}
 */
export function start_engine(options = []) {
    const path = process.env.LIMBER ?? program;
    const engine = spawn(path, ['play', '--no-browser', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    return new Promise((resolve, reject) => {
        engine.on('error', reject);
        engine.on('exit', (code) => reject(new Error(`${path} play ended with ${code} before it said its address`)));
        let text = '';
        engine.stdout.on('data', (/** @type {Buffer} */ data) => {
            text += data;
            const address = text.match(/http:\/\/\S+/)?.[0];
            if (address) {
                resolve({ address, stop: () => engine.kill('SIGTERM') });
            }
        });
    });
}
