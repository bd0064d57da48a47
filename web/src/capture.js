// Pictures and films of the view, to take away.

export class Capture {
    /** @param {import('./view.js').View} view @param {import('./toasts.js').Toasts} toasts */
    constructor(view, toasts) {
        this.view = view;
        this.toasts = toasts;
        /** @type {MediaRecorder | null} */
        this.recorder = null;
        /** @type {(() => void) | null} after each picture, while one is filmed */
        this.film = null;
        view.drawn.listen(() => this.film?.());
        /** @type {(on: boolean) => void} */
        this.changed = () => {};
    }

    /** A picture as it is seen. */
    async picture() {
        this.view.draw(); // what is drawn is only there until the browser has shown it
        const canvas = this.compose();
        const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
        if (blob) {
            save(/** @type {Blob} */ (blob), 'limber.png');
        }
    }

    /**
     * What is drawn, before what is behind it on the page and below the numbers that are over it: by itself it is transparent.
     * @param {HTMLCanvasElement} canvas @returns {HTMLCanvasElement}
     */
    compose(canvas = document.createElement('canvas')) {
        const { width, height } = this.view.canvas;
        if (canvas.width !== width || canvas.height !== height) {
            Object.assign(canvas, { width, height });
        }
        const context = canvas.getContext('2d');
        if (context) {
            paint_backdrop(context, width, height);
            context.drawImage(this.view.canvas, 0, 0);
            const whole = this.view.canvas.getBoundingClientRect();
            context.save();
            context.scale(width / whole.width, height / whole.height);
            context.translate(-whole.left, -whole.top);
            paint_labels(context);
            paint_legend(context);
            context.restore();
        }
        return canvas;
    }

    toggle_video() {
        if (this.recorder) {
            this.recorder.stop();
            return;
        }
        const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((one) => window.MediaRecorder?.isTypeSupported(one));
        if (!type || !this.view.canvas.captureStream) {
            this.toasts.show('error', 'This browser cannot record a video');
            return;
        }
        /** @type {Blob[]} */
        const pieces = [];
        const canvas = this.compose();
        this.film = () => { this.compose(canvas); };
        const recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
        recorder.ondataavailable = ({ data }) => pieces.push(data);
        recorder.onstop = () => {
            this.recorder = null;
            this.film = null;
            this.changed(false);
            recorder.stream.getTracks().forEach((track) => track.stop());
            save(new Blob(pieces, { type: 'video/webm' }), 'limber.webm');
        };
        recorder.start(500);
        this.recorder = recorder;
        this.changed(true);
        this.view.redraw();
    }
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The page's own gradient behind the view (--view in theme.css). @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
function paint_backdrop(context, width, height) {
    const style = getComputedStyle(document.documentElement).getPropertyValue('--view');
    const [wide = 100, high = 100, x = 50, y = 50] = [...style.matchAll(/([\d.]+)%/g)].slice(0, 4).map(([, share]) => Number(share));
    const gradient = context.createRadialGradient(0, 0, 0, 0, 0, 1);
    for (const [, colour, share] of style.matchAll(/(#[0-9a-f]{6})\s+([\d.]+)%/gi)) {
        gradient.addColorStop(Number(share) / 100, colour);
    }
    context.save();
    context.translate(x / 100 * width, y / 100 * height);
    context.scale(wide / 100 * width, high / 100 * height);
    context.fillStyle = gradient;
    context.fillRect(-2, -2, 4, 4);
    context.restore();
}

/** An element's box, in its colour. @param {CanvasRenderingContext2D} context @param {Element} element @param {number} round */
function paint_box(context, element, round) {
    const { left, top, width, height } = element.getBoundingClientRect();
    context.fillStyle = getComputedStyle(element).backgroundColor;
    context.beginPath();
    context.roundRect(left, top, width, height, round);
    context.fill();
}

/**
 * An element's text where it stands on the page.
 * @param {CanvasRenderingContext2D} context @param {Element} element @param {string} text @param {CanvasTextAlign} align
 */
function paint_text(context, element, text, align) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const { color, font } = getComputedStyle(element);
    Object.assign(context, { fillStyle: color, font, textAlign: align, textBaseline: 'middle' });
    context.fillText(text, left + width * { left: 0, center: 0.5, right: 1 }[/** @type {'left' | 'center' | 'right'} */ (align)], top + height / 2 + 0.5);
}

/** The forces that stand beside their arrows. @param {CanvasRenderingContext2D} context */
function paint_labels(context) {
    for (const label of document.querySelectorAll('#labels .label')) {
        if (label.getBoundingClientRect().width > 0) {
            paint_box(context, label, 9);
            paint_text(context, label, label.textContent ?? '', 'center');
        }
    }
}

/** Which colour means what, if a field is shown. @param {CanvasRenderingContext2D} context */
function paint_legend(context) {
    const legend = document.getElementById('legend');
    const bar = legend?.querySelector('.bar');
    if (!legend || !bar || legend.getBoundingClientRect().width === 0) {
        return;
    }
    paint_box(context, legend, 12);
    const { left, top, width, height } = bar.getBoundingClientRect();
    const gradient = context.createLinearGradient(left, 0, left + width, 0);
    const colours = getComputedStyle(bar).backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    colours.forEach((colour, i) => gradient.addColorStop(i / Math.max(1, colours.length - 1), colour));
    context.fillStyle = gradient;
    context.beginPath();
    context.roundRect(left, top, width, height, 5);
    context.fill();
    const title = legend.querySelector('.title');
    const unit = legend.querySelector('.ticks span');
    const [lower, upper] = legend.querySelectorAll('input');
    for (const [element, text, align] of /** @type {[Element | null, string | undefined, CanvasTextAlign][]} */ ([
        [title, title?.textContent ?? '', 'left'], [unit, unit?.textContent ?? '', 'center'],
        [lower, lower?.value, 'left'], [upper, upper?.value, 'right'],
    ])) {
        if (element) {
            paint_text(context, element, text ?? '', align);
        }
    }
}
