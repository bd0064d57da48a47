// Puts the page together.
import { BuildPart } from './build_part.js';
import { Capture } from './capture.js';
import { Connection } from './connection.js';
import { Controls } from './controls.js';
import { DisplayPart } from './display_part.js';
import { find } from './dom.js';
import { Gallery } from './gallery.js';
import { fill_help } from './help.js';
import { icon } from './icons.js';
import { Labels } from './labels.js';
import { Line } from './line.js';
import { Opening } from './opening.js';
import { Panel } from './panel.js';
import { Plots } from './plots.js';
import { Session } from './session.js';
import { listen_to_keys } from './shortcuts.js';
import { Status } from './status.js';
import { make_test_interface } from './test_interface.js';
import { ThemeChoice } from './theme.js';
import { Toasts } from './toasts.js';
import { Toolbar } from './toolbar.js';
import { Tools } from './tools.js';
import { Transport } from './transport.js';
import { View } from './view.js';

const token = new URLSearchParams(location.search).get('token') ?? '';
const with_token = (/** @type {string} */ path) =>
    `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
const socketAddress = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${with_token('/ws')}`;

const toasts = new Toasts(find('toasts'));
const connection = new Connection(socketAddress);
const session = new Session(connection);
const line = new Line(connection, token);

/** @returns {View | null} */
function make_view() {
    try {
        return new View(
            /** @type {HTMLCanvasElement} */ (find('canvas')), session, new Labels(find('labels')),
            (revision, body, material) => with_token(`/texture/${revision}/${body}/${material}`));
    } catch (error) {
        find('no-webgl').hidden = false;
        console.error('limber:', error);
        return null;
    }
}

const view = make_view();
if (view) {
    start(view);
}

/** Where a pointer is on a body or on the ground. @param {View} view @param {number} x @param {number} y @returns {number[] | null} m */
function place_at(view, x, y) {
    const picked = view.pick(x, y);
    if (picked) {
        return picked.place.toArray();
    }
    const { origin, direction } = view.ray_at(x, y);
    const distance = ((view.groundHeight ?? 0) - origin.y) / direction.y;
    if (!(distance > 0 && distance < 20 * view.size)) {
        return null;
    }
    return origin.clone().addScaledVector(direction, distance).toArray();
}

/** @param {View} view */
function start(view) {
    const tools = new Tools(view, session);
    const opening = new Opening(session, toasts, (name) => with_token(`/upload?name=${encodeURIComponent(name)}`));
    const build = new BuildPart(session);
    const panel = new Panel(session);
    const capture = new Capture(view, toasts);
    const gallery = new Gallery(session, /** @type {HTMLDialogElement} */ (find('gallery')));
    const display = new DisplayPart(session, view);
    new Toolbar(session, tools);
    const transport = new Transport(session, with_token);
    const controls = new Controls(view, session, tools);
    const plots = new Plots(session);
    const status = new Status(session, view);
    const theme = new ThemeChoice();
    const help = /** @type {HTMLDialogElement} */ (find('help'));

    theme.changed.listen((name) => {
        view.set_theme(name);
        plots.set_theme();
    });
    view.bars = () => {
        const whole = find('view').getBoundingClientRect();
        const [corner, transport] = [find('corner'), find('transport')].map((one) => one.getBoundingClientRect());
        const above = corner.height > 0 ? corner.bottom - whole.top : 0, below = transport.height > 0 ? whole.bottom - transport.top : 0;
        return { top: above / whole.height + 0.09, bottom: below / whole.height + 0.08 };
    };
    opening.place_at = (x, y) => place_at(view, x, y);
    plots.field_shown = () => view.shown.field;
    tools.watched.listen((picked) => {
        show_plots(true);
        plots.watch(picked);
        find('watch').setAttribute('aria-pressed', 'false');
    });
    capture.changed = (on) => find('video').setAttribute('aria-pressed', String(on));
    document.addEventListener('notice', (event) => toasts.show('warning', String(/** @type {CustomEvent} */ (event).detail)));
    session.noticed.listen(({ level, message, actions }) => {
        const cures = (actions ?? []).map(({ label, messages }) => ({
            label,
            run: async () => {
                for (const one of messages) {
                    if (!await session.ask(one)) {
                        return;
                    }
                }
            },
        }));
        const show = () => toasts.show(level, message, cures);
        if (!status.take(message)) {
            show();
        }
    });
    session.helloChanged.listen(() => view.tell_engine());
    let named = '';
    session.sceneChanged.listen(({ name }) => {
        document.title = name ? `${name} · limber` : 'limber';
        if (name !== named) {
            named = name;
            toasts.leave_scene();
        }
    });
    view.ticked.listen((seconds) => {
        status.tick(seconds);
        plots.tick();
    });
    view.drawn.listen(() => {
        status.count_picture();
        plots.note_picture();
        display.tick();
    });
    tools.grabbed.listen(() => { find('hint').hidden = true; });
    tools.modeChanged.listen((mode) => { find('hint').classList.toggle('away', mode !== 'grab'); });

    const remembered = (/** @type {string} */ key, /** @type {boolean} */ otherwise) => {
        const stored = localStorage.getItem(key);
        return stored === null ? otherwise : stored === '1';
    };
    const show_plots = (/** @type {boolean} */ visible) => {
        plots.show(visible);
        find('toggle-plots').setAttribute('aria-pressed', String(visible));
        localStorage.setItem('limber.plots', visible ? '1' : '0');
    };
    const show_panel = (/** @type {boolean} */ visible) => {
        document.body.classList.toggle('no-panel', !visible);
        find('toggle-panel').setAttribute('aria-pressed', String(visible));
    };
    const show_help = () => {
        fill_help(help, shortcuts, session.hello?.version ?? '');
        help.showModal();
    };

    /** @type {import('./shortcuts.js').Shortcut[]} */
    const shortcuts = [
        { key: ' ', shown: 'Space', label: 'Pause, go on', run: () => transport.toggle_pause() },
        { key: '.', label: 'One frame', run: () => transport.step() },
        { key: 'r', label: 'Start over', run: () => transport.reset() },
        { key: 'g', label: 'Grab', run: () => tools.set_mode('grab') },
        { key: 't', label: 'Push with a tool', run: () => tools.set_mode('push') },
        { key: 'p', label: 'Pin', run: () => tools.set_mode('pin') },
        { key: 'a', label: 'Move, turn and scale', run: () => tools.set_mode('arrange') },
        { key: 'k', label: 'The hand stays, or those that stay let go', run: () => tools.toggle_keep() },
        { key: 'Delete', shown: 'Del', label: 'Delete the chosen body', run: () => build.remove() },
        { key: 'Ctrl z', shown: 'Ctrl Z', label: 'Undo', run: () => build.undo(false) },
        { key: 'Ctrl Shift z', shown: 'Ctrl Shift Z', label: 'Redo', run: () => build.undo(true) },
        { key: 'Ctrl d', shown: 'Ctrl D', label: 'Duplicate the chosen body', run: () => build.duplicate() },
        { key: 'i', label: 'Isolines', run: () => display.toggle('isolines') },
        { key: 'u', label: 'Hues instead of equal steps of colour', run: () => display.toggle('hues') },
        { key: 'x', label: 'Section', run: () => display.toggle_section() },
        { key: 's', label: 'Save a picture', run: () => capture.picture() },
        { key: 'w', label: 'Wireframe', run: () => display.toggle('wireframe') },
        { key: 'm', label: 'Simulated mesh', run: () => display.toggle('mesh') },
        { key: 'c', label: 'Contacts', run: () => display.toggle('contacts') },
        { key: 'v', label: 'Next colours', run: () => display.cycle() },
        { key: 'f', label: 'Look at everything', run: () => view.frame_bodies() },
        { key: '[', label: 'Slower', run: () => transport.change_speed(1) },
        { key: ']', label: 'Faster', run: () => transport.change_speed(-1) },
        { key: 'e', label: 'Record, stop', run: () => transport.toggle_record() },
        { key: 'q', label: 'Scenes with pictures', run: () => gallery.show() },
        { key: 'n', label: 'Next scene', run: () => panel.load_next(1) },
        { key: 'o', label: 'Open files', run: () => opening.choose() },
        { key: 'l', label: 'Plots', run: () => show_plots(!plots.visible) },
        { key: 'h', label: 'Hide the panel', run: () => show_panel(document.body.classList.contains('no-panel')) },
        { key: 'd', label: 'Dark or light', run: () => theme.toggle() },
        { key: '?', label: 'This help', run: show_help },
    ];
    listen_to_keys(shortcuts);

    /** @type {[string, import('./icons.js').IconName, () => void][]} */
    const buttons = [
        ['open', 'open', () => opening.choose()],
        ['toggle-theme', 'theme', () => theme.toggle()],
        ['show-help', 'help', show_help],
        ['toggle-plots', 'plots', () => show_plots(!plots.visible)],
        ['toggle-panel', 'panel', () => show_panel(document.body.classList.contains('no-panel'))],
        ['look-at-all', 'frame', () => view.frame_bodies()],
        ['picture', 'camera', () => capture.picture()],
        ['video', 'video', () => capture.toggle_video()],
        ['show-gallery', 'gallery', () => gallery.show()],
    ];
    for (const [id, name, run] of buttons) {
        const button = find(id);
        button.prepend(icon(name));
        button.addEventListener('click', run);
    }
    const save = /** @type {HTMLAnchorElement} */ (find('save'));
    save.prepend(icon('save'));
    save.href = with_token('/download/scene.json');
    help.addEventListener('click', (event) => {
        if (event.target === help) {
            help.close(); // beside it
        }
    });

    find('watch').addEventListener('click', () => {
        tools.watching = !tools.watching;
        find('watch').setAttribute('aria-pressed', String(tools.watching));
    });
    session.stateChanged.listen(({ building }) => show_building(building ?? false));
    find('cancel-building').addEventListener('click', () => session.send({ type: 'cancel' }));
    let buildingTimer = 0;
    const show_building = (/** @type {boolean} */ building) => {
        clearTimeout(buildingTimer);
        if (building) { // what is quick is not worth a word
            buildingTimer = window.setTimeout(() => { find('building').hidden = false; }, 700);
        } else {
            find('building').hidden = true;
        }
    };

    show_plots(remembered('limber.plots', false));
    show_panel(true);
    tools.set_mode('grab');
    theme.apply();
    /** @type {any} */ (window).limber = make_test_interface({ session, view, tools, toasts, display, opening, controls, status });
    line.hide();
    connection.connect();
}
