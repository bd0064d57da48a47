// What only a browser shows of those who mean harm; messages and requests of all sorts are in tests/test_play.py.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';
import { until } from './support/waiting.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function hostile(setup) {
    describe('clients that mean harm', () => {
        /** @type {{revision: number} | undefined} */
        let state;

        /** The world is as it was, and goes on. */
        const unharmed = async () => {
            await setup.visitor.go_on();
            assert.equal((await setup.visitor.get('state')).revision, state?.revision);
            assert.ok((await setup.visitor.positions()).every(Number.isFinite));
        };

        test('the world is there', async () => {
            await setup.visitor.begin(block({ name: 'Guarded' }));
            state = await setup.visitor.get('state');
        });

        test('a web page of somebody else, who even knows the token, gets nothing', async () => {
            const { engine, visitor } = setup;
            const server = createServer((_, answer) => answer.end('<!doctype html><title>evil</title>'));
            await new Promise((done) => { server.listen(0, '127.0.0.1', () => done(undefined)); });
            const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
            const page = await visitor.page.context().newPage();
            await page.goto(`http://127.0.0.1:${port}/`);
            const got = await page.evaluate(async ({ port: wanted, token }) => {
                const opened = await new Promise((done) => {
                    const socket = new WebSocket(`ws://127.0.0.1:${wanted}/ws?token=${token}`, 'limber.v1');
                    socket.onopen = () => done(true);
                    socket.onerror = () => done(false);
                });
                const address = `http://127.0.0.1:${wanted}/download/scene.json?token=${token}`;
                const read = await fetch(address).then((answer) => answer.text(), () => null);
                const sent = await fetch(`http://127.0.0.1:${wanted}/upload?token=${token}&name=evil.obj`, { method: 'POST', body: 'v 0 0 0' })
                    .then((answer) => answer.status, () => 0);
                const framed = await new Promise((done) => {
                    const script = document.createElement('script');
                    script.type = 'module';
                    script.src = `http://127.0.0.1:${wanted}/src/main.js`;
                    script.onload = () => done(true);
                    script.onerror = () => done(false);
                    document.head.append(script);
                });
                return { opened, read, sent, framed };
            }, { port: engine.port, token: engine.token });
            assert.deepEqual(got, { opened: false, read: null, sent: 0, framed: false });
            await page.close();
            server.closeAllConnections?.();
            server.close();
            await unharmed();
        });

        test('200 connections that come and go leave nothing behind', async (t) => {
            const { engine } = setup;
            /** @param {number} count */
            const come_and_go = async (count) => {
                for (let i = 0; i < count; i += 20) {
                    const clients = Array.from({ length: 20 }, () => engine.connect());
                    for (const [k, client] of clients.entries()) {
                        assert.ok((await client.opened).open);
                        if (k % 2 === 0) {
                            await until('a frame', () => client.frames > 0);
                        }
                    }
                    await Promise.all(clients.map((client, k) => {
                        if (k % 3 === 0) {
                            client.socket.close();
                            return client.closed;
                        }
                        return client.drop();
                    }));
                }
            };
            await setup.visitor.until_state('only the page is there', (now) => now.clients === 1);
            await come_and_go(40); // what is made once is made now
            const before = engine.measure();
            if (!before) {
                t.skip('there is no /proc to measure by');
                return;
            }
            const files = await until('as few files as with one page', () => {
                const now = engine.measure();
                return now && now.files <= before.files ? now : null;
            });
            await setup.visitor.pause(); // what is kept of a world that runs grows, for half a minute
            await come_and_go(200);
            await setup.visitor.until_state('only the page is there', (now) => now.clients === 1);
            await until('no file is left open', () => (engine.measure()?.files ?? 0) <= files.files);
            const after = engine.measure();
            assert.ok(after);
            t.diagnostic(`files ${files.files} -> ${after.files}, threads ${files.threads} -> ${after.threads}, memory ${files.kilobytes} -> ${after.kilobytes} kB`);
            assert.equal(after.threads, files.threads);
            assert.ok(after.kilobytes < files.kilobytes + 4096, `${after.kilobytes - files.kilobytes} kB more`);
            await setup.visitor.resume();
            await unharmed();
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
            assert.equal(setup.engine.complaints, '');
        });
    });
}
