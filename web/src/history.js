// The last seconds of some numbers: a ring, written at its head.

export class History {
    /** @param {number} seriesCount @param {number} capacity */
    constructor(seriesCount, capacity = 900) {
        this.capacity = capacity;
        this.times = new Float64Array(capacity); // s
        this.series = Array.from({ length: seriesCount }, () => new Float32Array(capacity));
        this.count = 0;
        this.head = 0; // where the next sample goes
    }

    clear() {
        this.count = this.head = 0;
    }

    /** Makes room for a sample; its values are set in `series` at the place it returns. @param {number} time s @returns {number} */
    push(time) {
        const place = this.head;
        this.times[place] = time;
        this.head = (place + 1) % this.capacity;
        this.count = Math.min(this.capacity, this.count + 1);
        return place;
    }

    /** @param {number} age 0: the newest @returns {number} its place */
    place(age) {
        return (this.head - 1 - age + 2 * this.capacity) % this.capacity;
    }

    get newest() {
        return this.count > 0 ? this.times[this.place(0)] : 0;
    }

    /** How many samples are not older than this. @param {number} seconds */
    count_within(seconds) {
        const from = this.newest - seconds;
        let n = 0;
        while (n < this.count && this.times[this.place(n)] >= from) {
            ++n;
        }
        return n;
    }
}

/** The next larger of 1, 2, 5, 10, ... @param {number} value */
export function nice_ceiling(value) {
    if (!(value > 0)) {
        return 1;
    }
    const power = 10 ** Math.floor(Math.log10(value));
    const share = value / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}
