import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { block } from './support/scenes.mjs';

const stiffness = 'material.youngsModulus';

/** @param {import('./support/setup.mjs').Setup} setup */
export function materials(setup) {
    describe('matter is changed as the world runs', () => {
        test('a number that is entered reaches the engine at once, and a stiffer body sags less', async () => {
            const { visitor, engine } = setup;
            await visitor.begin(block({ name: 'Sagging' }));
            await visitor.at_rest();
            const { revision } = await visitor.get('state');
            const soft = await visitor.extent('y');
            assert.ok(soft.size < 0.39, `it sags: ${soft.size} m high`);

            await visitor.enter(stiffness, '200k');
            await visitor.until('the engine has the value', async () => (await visitor.get('scene')).bodies[0].values[stiffness] === 200000);
            assert.equal((await engine.document()).bodies[0].material.youngsModulus, 200000);
            await visitor.until('it has risen', async () => (await visitor.extent('y')).size > soft.size + 0.005);
            await visitor.at_rest();
            assert.equal((await visitor.get('state')).revision, revision, 'nothing was built anew');
            assert.equal(await visitor.row(stiffness).locator('input.number').inputValue(), '200 kPa');
        });

        test('a slider that is dragged changes the engine, on a logarithmic scale', async () => {
            const { visitor } = setup;
            const slider = visitor.row(stiffness).locator('input[type=range]');
            const box = await slider.boundingBox();
            assert.ok(box);
            const { mouse } = visitor.page;
            const value = async () => (await visitor.get('scene')).bodies[0].values[stiffness];
            const before = await value();
            await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
            await mouse.down();
            await mouse.move(box.x + 0.3 * box.width, box.y + box.height / 2, { steps: 3 });
            await visitor.until('it is softer while the slider is held', async () => await value() < 0.5 * before);
            await mouse.move(box.x + 0.5 * box.width, box.y + box.height / 2);
            await mouse.up();
            // A hundredth to a hundred times what the scene came with: the middle is that.
            await visitor.until('it is the middle of the scale', async () => {
                const now = await value();
                return now > 15e3 && now < 60e3;
            });
        });

        test('sliders reach as far as the body may want, numbers as far as the engine goes', async () => {
            const { visitor } = setup;
            const slider = visitor.row(stiffness).locator('input[type=range]');
            const ends = () => slider.evaluate((one) => [Number(one.dataset.from), Number(one.dataset.to)]);
            assert.deepEqual(await ends(), [300, 3e6]);
            await visitor.enter(stiffness, '20M');
            await visitor.until('the slider reaches it', async () => (await ends())[1] === 20e6);
            assert.equal(await slider.inputValue(), '1000');
        });

        test('a double click goes back to what the scene came with', async () => {
            const { visitor } = setup;
            await visitor.row(stiffness).locator('label').dblclick();
            await visitor.until('it is as it was', async () => (await visitor.get('scene')).bodies[0].values[stiffness] === 30000);
        });

        test('what the engine chose to move it by is said beside its counts, and follows its stiffness', async () => {
            const { visitor } = setup;
            const facts = visitor.page.locator('section.body p.facts');
            await visitor.until('it is explicit', async () => /automatic: explicit, \d+ steps/.test(await facts.innerText()));
            await visitor.enter(stiffness, '20M');
            await visitor.until('it is implicit', async () => (await facts.innerText()).includes('automatic: implicit, 1 step'));
            await visitor.enter(stiffness, '30k');
            await visitor.until('it is explicit again', async () => /automatic: explicit, \d+ steps/.test(await facts.innerText()));
        });

        test('every number in the panel says its unit, where it has one', async () => {
            const { visitor } = setup;
            const { properties } = await visitor.get('hello');
            const shown = await visitor.page.evaluate(() => [...document.querySelectorAll('.row.number[data-path]')].map((row) => ({
                path: /** @type {HTMLElement} */ (row).dataset.path, text: row.querySelector('input.number')?.value ?? '',
            })));
            assert.ok(shown.length > 5);
            for (const { path, text } of shown) {
                const { unit } = properties.find((/** @type {any} */ one) => one.path === path);
                const inWords = /^[a-z ]+$/i.test(text); // "not set", "automatic", "none"
                assert.ok(!unit || inWords || /[a-zµ°]/i.test(text.replace(/^[\d.e−-]+/, '')), `${path}: "${text}" in ${unit}`);
            }
        });

        test('gravity turned around lets the body rise, and a slider makes it weaker', async () => {
            const { visitor } = setup;
            await visitor.begin(block({ name: 'Rising' }));
            await visitor.at_rest();
            await visitor.unfold('gravity');
            const along_y = visitor.row('gravity').locator('.axes input').nth(1);
            await along_y.fill('3');
            await along_y.press('Enter');
            await visitor.until('the engine has it', async () => (await setup.engine.document()).gravity[1] === 3);
            await visitor.until('it rises', async () => (await visitor.extent('y')).lower > 0.05);
            await along_y.fill('-9.81');
            await along_y.press('Enter');
            await visitor.until('it falls again', async () => (await visitor.extent('y')).lower < 0.01);

            const slider = visitor.row('gravity').locator('input[type=range]');
            await slider.focus();
            await slider.press('Home');
            await visitor.until('there is no gravity', async () => (
                (await setup.engine.document()).gravity.every((/** @type {number} */ g) => g === 0)));
        });

        test('another frame rate is taken live', async () => {
            const { visitor } = setup;
            await visitor.enter('frameRate', '30');
            await visitor.until('the engine has it', async () => (await setup.engine.document()).frameRate === 30);
            await visitor.go_on();
        });

        test('what is out of range is brought into it, and what is no number is not taken', async () => {
            const { visitor } = setup;
            const density = 'material.density';
            const value = async () => (await visitor.get('scene')).bodies[0].values[density];
            await visitor.enter(density, '1e9');
            await visitor.until('it is the largest there may be', async () => await value() === 20000);
            await visitor.noticed(/^Density: 1e9 is out of range; it is 20\s?000 kg\/m³ now, the most$/, 'warning');
            await visitor.enter(density, 'heavy');
            await visitor.noticed(/^Density: "heavy" is not understood; expected a number in kg\/m³$/, 'warning');
            await visitor.go_on();
            assert.equal(await value(), 20000);
        });

        test('units of other countries are understood, and nothing is set to something else without a word', async () => {
            const { visitor } = setup;
            const value = async () => (await setup.engine.document()).bodies[0].material.youngsModulus;
            await visitor.enter(stiffness, '50 psi');
            await visitor.until('50 psi are 345 kPa', async () => Math.abs(await value() - 344738) < 1);
            await visitor.enter(stiffness, '0');
            const { minimum } = (await visitor.get('hello')).properties.find((/** @type {any} */ { path }) => path === stiffness);
            const { message } = await visitor.noticed(/^Stiffness \(E\): 0 is out of range; it is .* now, the least$/, 'warning');
            await visitor.until(`the engine has what was said: ${message}`, async () => await value() === minimum);
            await visitor.enter(stiffness, '30 kPa');
            await visitor.until('the engine has it', async () => await value() === 30000);
        });

        test('nothing is complained about', () => {
            assert.deepEqual(setup.visitor.take_complaints(), []);
        });
    });
}
