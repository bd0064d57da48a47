// Puts the page together.
import { Connection } from './connection.js';
import { DisplayPart } from './display_part.js';
import { find } from './dom.js';
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
const with_token = (/** @type {string} */ path) => `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
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

/** @param {View} view */
function start(view) {
    const tools = new Tools(view, session);
    const opening = new Opening(session, toasts, (name) => with_token(`/upload?name=${encodeURIComponent(name)}`));
    const panel = new Panel(session);
    const display = new DisplayPart(session, view);
    new Toolbar(session, tools);
    const transport = new Transport(session, with_token);
    const plots = new Plots(session);
    const status = new Status(session, view);
    const theme = new ThemeChoice();
    const help = /** @type {HTMLDialogElement} */ (find('help'));

    theme.changed.listen((name) => {
        view.set_theme(name);
        plots.set_theme();
    });
    session.noticed.listen(({ level, message }) => {
        const show = () => toasts.show(level, message);
        if (level === 'warning') {
            status.take(message, show);
        } else {
            show();
        }
    });
    session.helloChanged.listen(() => view.tell_engine());
    session.sceneChanged.listen(({ name }) => { document.title = name ? `${name} · limber` : 'limber'; });
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
        { key: 'w', label: 'Wireframe', run: () => display.toggle('wireframe') },
        { key: 'm', label: 'Simulated mesh', run: () => display.toggle('mesh') },
        { key: 'c', label: 'Contacts', run: () => display.toggle('contacts') },
        { key: 'v', label: 'Next colours', run: () => display.cycle() },
        { key: 'f', label: 'Look at everything', run: () => view.frame_bodies() },
        { key: '[', label: 'Slower', run: () => transport.change_speed(1) },
        { key: ']', label: 'Faster', run: () => transport.change_speed(-1) },
        { key: 'e', label: 'Record, stop', run: () => transport.toggle_record() },
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
        ['open', 'open', () => opening.choose()], ['toggle-theme', 'theme', () => theme.toggle()], ['show-help', 'help', show_help],
        ['toggle-plots', 'plots', () => show_plots(!plots.visible)],
        ['toggle-panel', 'panel', () => show_panel(document.body.classList.contains('no-panel'))],
        ['look-at-all', 'frame', () => view.frame_bodies()],
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

    show_plots(remembered('limber.plots', window.innerHeight >= 640));
    show_panel(true);
    tools.set_mode('grab');
    theme.apply();
    /** @type {any} */ (window).limber = make_test_interface({ session, view, tools, toasts, display, opening });
    line.hide();
    connection.connect();
}
