// Pictures and films of the view, to take away.

export class Capture {
    /** @param {import('./view.js').View} view @param {import('./toasts.js').Toasts} toasts */
    constructor(view, toasts) {
        this.view = view;
        this.toasts = toasts;
        /** @type {MediaRecorder | null} */
        this.recorder = null;
        /** @type {(on: boolean) => void} */
        this.changed = () => {};
    }

    /** A picture as it is seen, with all its pixels. */
    async picture() {
        this.view.draw(); // what is drawn is only there until the browser has shown it
        const blob = await new Promise((resolve) => { this.view.canvas.toBlob(resolve, 'image/png'); });
        if (blob) {
            save(/** @type {Blob} */ (blob), 'limber.png');
        }
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
        const recorder = new MediaRecorder(this.view.canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
        recorder.ondataavailable = ({ data }) => pieces.push(data);
        recorder.onstop = () => {
            this.recorder = null;
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
