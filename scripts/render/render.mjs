// Renders GLB recordings to PNG with three.js in a headless Chromium. See --help and docs/images/README.md.
import { existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const help = `usage: node render.mjs FILE.glb... -o OUT.png [options]

Several files stand side by side on the ground, with their names.

  -o, --output FILE     the picture; with several times, their names go before ".png"
      --time T[,T...]   s; default 0
      --scene FILE      the scene that was recorded: its tools and the height of its ground are drawn, too
      --size WxH        pixels; default 1600x900
      --view=A,E        the camera's azimuth and elevation, degrees; default 20,15
      --zoom Z          1 shows everything, 2 half of it
      --samples N       renders a picture is the mean of; default 48
      --columns N       how many files in a row
      --crease A        edges where the surface turns by more than A degrees are shown sharp; default: none is

Chromium is looked for in CHROMIUM and on the PATH.`;

const here = dirname(fileURLToPath(import.meta.url));
const script = 'text/javascript';
const types = { '.html': 'text/html', '.js': script, '.mjs': script, '.glb': 'model/gltf-binary' };
const flags = [
    '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update', '--no-first-run', '--hide-scrollbars',
];

function find_chromium() {
    const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
    const folders = (process.env.PATH ?? '').split(delimiter);
    const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
    const found = process.env.CHROMIUM ?? places.find((file) => existsSync(file));
    if (!found) {
        throw new Error('no Chromium on the PATH; install it (Debian: apt-get install chromium) or set CHROMIUM');
    }
    return found;
}

function read_options() {
    const { values, positionals } = parseArgs({
        allowPositionals: true,
        options: {
            output: { type: 'string', short: 'o' }, time: { type: 'string', default: '0' }, scene: { type: 'string' },
            size: { type: 'string', default: '1600x900' }, view: { type: 'string' }, zoom: { type: 'string' },
            columns: { type: 'string' }, crease: { type: 'string' }, samples: { type: 'string', default: '48' },
            help: { type: 'boolean', short: 'h' },
        },
    });
    if (values.help || !values.output || positionals.length === 0) {
        console.log(help);
        process.exit(values.help ? 0 : 2);
    }
    const missing = positionals.find((file) => !existsSync(file));
    if (missing) {
        throw new Error(`${missing}: no such file`);
    }
    const numbers = (text, separator = ',') => text?.split(separator).map(Number);
    const scene = values.scene ? JSON.parse(readFileSync(values.scene, 'utf8')) : {};
    const [width, height] = numbers(values.size, 'x');
    return {
        files: positionals, output: values.output, width, height, samples: Number(values.samples),
        page: {
            models: positionals.map((_, i) => `/model/${i}.glb`),
            labels: positionals.length > 1 ? positionals.map((file) => basename(file, '.glb')) : null,
            times: numbers(values.time), view: numbers(values.view), tools: scene.tools, ground: scene.ground?.height,
            zoom: values.zoom && Number(values.zoom), columns: values.columns && Number(values.columns),
            crease: values.crease && Number(values.crease),
        },
    };
}

// The page lives at an address that exists only here: every request is answered from files, none leaves the machine.
async function answer_from_files(page, files) {
    await page.route('**/*', (route) => {
        const path = new URL(route.request().url()).pathname;
        const model = path.match(/^\/model\/(\d+)\.glb$/);
        const file = model ? files[model[1]] : join(here, path.replace(/^\/three\//, '/node_modules/three/'));
        if (!existsSync(file)) {
            return route.fulfill({ status: 404 });
        }
        return route.fulfill({ body: readFileSync(file), contentType: types[extname(path)] ?? 'text/plain' });
    });
}

async function main() {
    const options = read_options();
    const browser = await chromium.launch({ executablePath: find_chromium(), args: flags });
    try {
        const page = await browser.newPage({ viewport: { width: options.width, height: options.height } });
        page.setDefaultTimeout(120000);
        page.on('pageerror', (error) => console.error(error.message));
        await answer_from_files(page, options.files);
        await page.goto('http://render.invalid/page.html');
        await page.waitForFunction(() => window.prepare !== undefined);
        await page.evaluate((all) => window.prepare(all), options.page);
        for (const time of options.page.times) {
            const one = options.page.times.length === 1;
            const output = one ? options.output : options.output.replace(/(\.png)?$/, `-${time.toFixed(2)}.png`);
            await page.evaluate(([t, samples]) => window.show(t, samples), [time, options.samples]);
            await page.screenshot({ path: output, timeout: 120000 });
        }
    } finally {
        await browser.close();
    }
}

try {
    await main();
} catch (error) {
    console.error(`render: ${error.message}`);
    process.exitCode = 1;
}
