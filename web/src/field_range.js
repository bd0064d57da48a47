// Which values the two ends of a colour map stand for: follows the field calmly, unless it is locked.

const binCount = 256;
const floor = 0.002; // of the largest range there was: what is smaller is rounding, and shown as nothing
const outliers = 0.005; // share of the points beyond each end, so that a single spike does not wash out the rest
const growTime = 0.12; // s
const shrinkTime = 1.6; // s: slower, so that colours do not pump while a body swings
const settleTime = 0.7; // s after a new field is chosen, while both are quick

export class FieldRange {
    constructor() {
        this.lower = 0;
        this.upper = 1;
        this.locked = false;
        this.diverging = false;
        this.fresh = true; // nothing seen yet: the first values are taken as they are
        this.age = 0; // s since then
        this.largest = 0; // magnitude since then
        this.bins = new Uint32Array(binCount);
    }

    /** @param {boolean} diverging shown about zero */
    restart(diverging) {
        this.fresh = true;
        this.locked = false;
        this.diverging = diverging;
        this.largest = 0;
    }

    /** @param {number} lower @param {number} upper */
    lock(lower, upper) {
        this.lower = Math.min(lower, upper);
        this.upper = Math.max(lower, upper);
        this.locked = true;
    }

    /** @param {Float32Array[]} fields one for each body @param {number} seconds since the last time */
    update(fields, seconds) {
        if (this.locked) {
            return;
        }
        const goal = this.find_goal(fields);
        if (!goal) {
            return;
        }
        const [lower, upper] = goal;
        if (this.fresh) {
            [this.lower, this.upper, this.fresh, this.age] = [lower, upper, false, 0];
            return;
        }
        this.age += seconds;
        const grow = 1 - Math.exp(-seconds / growTime);
        const shrink = this.age < settleTime ? grow : 1 - Math.exp(-seconds / shrinkTime);
        this.lower += (lower - this.lower) * (lower < this.lower ? grow : shrink);
        this.upper += (upper - this.upper) * (upper > this.upper ? grow : shrink);
        if (lower === 0 && Math.abs(this.lower) < 0.01 * this.upper) {
            this.lower = 0; // the last of the way would take long, and reads badly
        }
    }

    /** @param {Float32Array[]} fields @returns {[number, number] | null} */
    find_goal(fields) {
        let least = Infinity, most = -Infinity, count = 0;
        for (const field of fields) {
            for (let i = 0; i < field.length; ++i) {
                const value = field[i];
                if (value - value === 0) { // finite
                    least = value < least ? value : least;
                    most = value > most ? value : most;
                    ++count;
                }
            }
        }
        if (count === 0) {
            return null;
        }
        [least, most] = this.without_outliers(fields, least, most, count);
        this.largest = Math.max(this.largest, Math.abs(least), Math.abs(most));
        const smallest = Math.max(floor * this.largest, 1e-30);
        if (this.diverging) {
            const reach = Math.max(Math.abs(least), Math.abs(most), smallest);
            return [-reach, reach];
        }
        if (Math.max(Math.abs(least), Math.abs(most)) < smallest) {
            return least < 0 ? [-smallest, smallest] : [0, smallest];
        }
        if (least > 0) {
            least = 0; // what has no sign is measured from zero: what is nearly even looks even
        }
        return most > least ? [least, most] : [least, least + Math.max(1e-30, 1e-3 * Math.abs(least))];
    }

    /**
     * @param {Float32Array[]} fields @param {number} least @param {number} most @param {number} count
     * @returns {[number, number]}
     */
    without_outliers(fields, least, most, count) {
        if (!(most > least)) {
            return [least, most];
        }
        const bins = this.bins.fill(0);
        const perUnit = (binCount - 1) / (most - least);
        for (const field of fields) {
            for (let i = 0; i < field.length; ++i) {
                const bin = (field[i] - least) * perUnit;
                if (bin >= 0) {
                    ++bins[Math.min(binCount - 1, bin) | 0];
                }
            }
        }
        const allowed = outliers * count;
        let first = 0, last = binCount - 1;
        for (let seen = bins[0]; seen <= allowed && first < last; seen += bins[first]) {
            ++first;
        }
        for (let seen = bins[last]; seen <= allowed && last > first; seen += bins[last]) {
            --last;
        }
        return [least + first / perUnit, last === binCount - 1 ? most : least + (last + 1) / perUnit];
    }
}
