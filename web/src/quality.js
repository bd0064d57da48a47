// Draws fewer pixels where drawing is slow, so that touching stays direct: sharpness goes first, smooth motion last.

const slow = 1 / 24; // s for a picture
const measured = 40; // pictures before anything is changed

export class Quality {
    /** @param {import('./view.js').View} view */
    constructor(view) {
        this.view = view;
        this.level = 0;
        this.locked = false;
        this.sum = 0;
        this.count = 0;
    }

    /** @returns {number[]} pixel ratios, best first */
    levels() {
        const full = Math.min(2, window.devicePixelRatio || 1);
        return [full, ...[1.5, 1, 0.75].filter((ratio) => ratio < full)];
    }

    pixel_ratio() {
        const levels = this.levels();
        return levels[Math.min(this.level, levels.length - 1)];
    }

    /** Full sharpness, whatever it takes. */
    lock() {
        this.locked = true;
        this.level = 0;
        this.view.resize();
    }

    /** @param {number} seconds between two pictures in a row */
    measure(seconds) {
        if (this.locked || seconds >= 0.25) {
            return; // a pause, not a slow picture
        }
        this.sum += seconds;
        if (++this.count < measured) {
            return;
        }
        if (this.sum / this.count > slow && this.level < this.levels().length - 1) {
            ++this.level;
            this.view.resize();
        }
        this.sum = this.count = 0;
    }
}
