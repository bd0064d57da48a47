// Draws fewer pixels where drawing is slow, and at last no shadows, so that touching stays direct: sharpness goes first,
// smooth motion last. The stored setting "limber.quality" asks for everything ("full") or for the least ("draft").

const slow = 1 / 24; // s for a picture
const quick = 1 / 50; // s: then more pixels are tried again
const measured = 30; // pictures before anything is changed
const restFor = 0.4; // s
const softwareRenderers = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** @typedef {{ratio: number, shadows: boolean}} Level pixels of the canvas in one of CSS */

/** Whether pictures are computed without a graphics card. Then edges are not smoothed from the beginning. */
export function draws_in_software() {
    const wish = localStorage.getItem('limber.quality');
    if (wish === 'full' || wish === 'draft') {
        return wish === 'draft';
    }
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return softwareRenderers.test(name);
}

export class Quality {
    /** @param {import('./view.js').View} view @param {boolean} modest */
    constructor(view, modest) {
        this.view = view;
        this.modest = modest;
        this.level = 0;
        this.wish = localStorage.getItem('limber.quality');
        this.locked = this.wish === 'full' || this.wish === 'draft';
        this.sum = 0;
        this.count = 0;
        this.still = 0; // s without a picture
        this.sharp = false; // drawn with all pixels, for as long as nothing moves
    }

    /** @returns {Level[]} best first */
    levels() {
        const full = Math.min(this.modest ? 1 : 2, window.devicePixelRatio || 1);
        if (this.wish === 'draft') {
            return [{ ratio: 0.5 * full, shadows: false }];
        }
        const ratios = [full, ...[1.5, 1, 0.75, 0.5].filter((ratio) => ratio < full)];
        const last = this.modest ? [{ ratio: ratios[ratios.length - 1], shadows: false }] : [];
        return [...ratios.map((ratio) => ({ ratio, shadows: true })), ...last];
    }

    /** @returns {Level} that pictures are drawn with now */
    now() {
        const levels = this.levels();
        return levels[this.sharp ? 0 : Math.min(this.level, levels.length - 1)];
    }

    /** A picture that stands still has all its pixels. @param {number} seconds without one */
    rest(seconds) {
        this.still += seconds;
        if (this.level > 0 && !this.sharp && this.still > restFor) {
            this.sharp = true;
            this.view.resize();
        }
    }

    /** @param {number} seconds between two pictures in a row */
    measure(seconds) {
        if (this.locked) {
            return;
        }
        this.still = 0;
        if (this.sharp) {
            this.sharp = false;
            this.view.resize();
            this.sum = this.count = 0;
            return;
        }
        this.sum += seconds;
        if (++this.count < measured) {
            return;
        }
        if (this.sum / this.count > slow && this.level < this.levels().length - 1) {
            ++this.level;
            this.view.resize();
        } else if (this.sum / this.count < quick && this.level > 0) { // what was slow may have gone
            --this.level;
            this.view.resize();
        }
        this.sum = this.count = 0;
    }
}
