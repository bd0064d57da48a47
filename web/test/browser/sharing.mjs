// Several at one world: pages that share it, a line that is cut, and those who mean no good.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { block } from './support/scenes.mjs';

/** @param {import('./support/setup.mjs').Setup} setup */
export function sharing(setup) {
    describe('several at one world', () => {
        it('a second page sees the same, and what the first one does', async () => {
            const first = setup.visitor;
            await first.begin(block());
            const second = await setup.visit({ width: 900, height: 600 });
            try {
                await first.until_state('both are there', ({ clients }) => clients === 2);
                await first.pause();
                await second.until_state('it is paused here, too', ({ paused }) => paused);
                await second.still();
                assert.deepEqual(await second.positions(), await first.positions());
                await first.resume();
                await first.send({ type: 'grab', hand: 3, body: 0, point: 0, target: [0, 1, 0] });
                await second.until('the hand of the other is seen', async () => (
                    (await second.get('tools')).some((/** @type {any} */ tool) => tool.kind === 1000)));
                await first.send({ type: 'release', hand: 3 });
            } finally {
                await setup.leave(second);
            }
            await first.until_state('one is there again', ({ clients }) => clients === 1);
        });

        it('comes back by itself when the line was cut', async () => {
            const visitor = setup.visitor;
            await visitor.begin(block());
            const { revision } = await visitor.get('state');
            await visitor.get('disconnect');
            await visitor.until_state('the line is cut', ({ connected }) => !connected);
            await visitor.until_state('it is there again', ({ connected, ready }) => connected && ready);
            assert.equal((await visitor.get('state')).revision, revision);
            await visitor.go_on();
        });

        it('goes on while strangers and bad clients are refused', async () => {
            const { engine, visitor } = setup;
            await visitor.begin(block());
            for (const as of [{ origin: 'http://example.org' }, { host: 'example.org' }, { token: 'guessed' }]) {
                assert.equal((await engine.connect(as).opened).open, false, JSON.stringify(as));
            }
            for (const message of ['{', '[]', 'x'.repeat(2 ** 21), Buffer.alloc(1000)]) {
                const client = engine.connect();
                assert.equal((await client.opened).open, true);
                client.socket.send(message);
                client.socket.close();
                await client.closed;
            }
            await visitor.go_on();
        });

        it('goes on while 200 connections come and go', async () => {
            const { engine, visitor } = setup;
            await visitor.begin(block());
            const before = engine.measure();
            for (let i = 0; i < 200; ++i) {
                const client = engine.connect();
                await client.opened;
                client.socket.terminate();
            }
            await visitor.until_state('only this page is left', ({ clients }) => clients === 1);
            await visitor.go_on();
            await visitor.until('what they held is given back', () => (
                !before || Number(engine.measure()?.files) <= before.files + 2));
        });
    });
}
