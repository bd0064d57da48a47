// `limber play` as a test starts it, and connections to it that are no page's.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { until } from './waiting.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const program = process.env.LIMBER ?? `${root}build/limber`;

/** @typedef {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} Child */

export class Engine {
    /** @param {Child} child @param {string} address */
    constructor(child, address) {
        this.child = child;
        this.address = address;
        const { port, searchParams } = new URL(address);
        this.port = Number(port);
        this.token = searchParams.get('token') ?? '';
        this.complaints = '';
        child.stderr.on('data', (text) => { this.complaints += text; });
        this.ended = new Promise((resolve) => { child.once('exit', (code, signal) => resolve(code ?? signal)); });
    }

    /** @param {string[]} options of `limber play` @param {string} folder for its temporary files */
    static async start(options, folder) {
        const command = [program, 'play', '--no-browser', '--page', `${root}web`, ...options];
        if (existsSync('/usr/bin/setpriv')) {
            command.unshift('/usr/bin/setpriv', '--pdeathsig', 'KILL'); // whatever happens to this process, it leaves none behind
        }
        const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TMPDIR: folder } });
        const kill = () => child.kill('SIGKILL');
        process.once('exit', kill);
        child.once('exit', () => process.off('exit', kill));
        let said = '', failed = '';
        child.stdout.on('data', (text) => { said += text; });
        child.once('error', (error) => { failed = String(error); });
        const address = await until('the engine says its address', () => {
            if (failed || child.exitCode !== null) {
                throw new Error(`${program} play: ${failed || `ended with ${child.exitCode}, ${child.stderr.read()}`}`);
            }
            return said.match(/http:\S+/)?.[0];
        });
        return new Engine(child, address);
    }

    /** As Ctrl-C does. @returns {Promise<unknown>} its exit code */
    async stop() {
        this.child.kill('SIGTERM');
        return this.ended;
    }

    /** As a crash does. */
    async kill() {
        this.child.kill('SIGKILL');
        await this.ended;
    }

    get origin() {
        return `http://127.0.0.1:${this.port}`;
    }

    /** @param {string} path "/download/scene.json" @param {RequestInit} [options] */
    fetch(path, options) {
        return fetch(`${this.origin}${path}?token=${this.token}`, options);
    }

    /** The scene as it would be saved. @returns {Promise<any>} */
    async document() {
        return (await this.fetch('/download/scene.json')).json();
    }

    /** @param {{token?: string, origin?: string, host?: string, protocol?: string, path?: string}} [as] */
    connect({ token = this.token, origin = this.origin, host, protocol = 'limber.v1', path = '/ws' } = {}) {
        return new Client(new WebSocket(`ws://127.0.0.1:${this.port}${path}?token=${token}`, protocol, {
            origin, headers: host ? { Host: host } : {}, maxPayload: 2 ** 28, perMessageDeflate: false,
        }));
    }

    /** What it holds open and how much memory it has; null where there is no /proc. */
    measure() {
        const place = `/proc/${this.child.pid}`;
        if (!existsSync(place)) {
            return null;
        }
        const kilobytes = Number(readFileSync(`${place}/status`, 'utf8').match(/VmRSS:\s*(\d+)/)?.[1]);
        return { files: readdirSync(`${place}/fd`).length, threads: readdirSync(`${place}/task`).length, kilobytes };
    }
}

/** A connection of a program. It remembers the newest message of each type, and answers frames. */
export class Client {
    /** @param {WebSocket} socket */
    constructor(socket) {
        this.socket = socket;
        socket.binaryType = 'nodebuffer';
        /** @type {Record<string, any>} by type */
        this.newest = {};
        /** @type {{type: string, id?: number, message?: string}[]} */
        this.answers = [];
        this.frames = 0;
        this.nextId = 1;
        /** @type {Promise<{open: boolean, status: number}>} */
        this.opened = new Promise((resolve) => {
            socket.once('open', () => resolve({ open: true, status: 101 }));
            socket.once('unexpected-response', (request, response) => {
                resolve({ open: false, status: response.statusCode ?? 0 });
                request.destroy();
            });
            socket.once('error', () => resolve({ open: false, status: 0 }));
        });
        /** @type {Promise<number>} the code that it was closed with */
        this.closed = new Promise((resolve) => { socket.once('close', resolve); });
        socket.on('error', () => {}); // told by `opened` and `closed`
        socket.on('message', (data, isBinary) => this.receive(/** @type {Buffer} */ (data), isBinary));
    }

    /** @param {Buffer} data @param {boolean} isBinary */
    receive(data, isBinary) {
        if (!isBinary) {
            const message = JSON.parse(String(data));
            this.newest[message.type] = message;
            if (message.type === 'done' || message.type === 'error') {
                this.answers.push(message);
            }
        } else if (data.readUInt32LE(0) === 2) {
            ++this.frames;
            this.send({ type: 'ack', frame: data.readUInt32LE(8) });
        }
    }

    /** @param {object | string | Buffer} message */
    send(message) {
        const plain = typeof message === 'string' || Buffer.isBuffer(message);
        if (this.socket.readyState === WebSocket.OPEN) {
            this.socket.send(plain ? message : JSON.stringify(message), () => {}); // a socket that is just closed is no fault
        }
    }

    /** @param {object} message @returns {Promise<string | null>} null: done; else why not */
    async ask(message) {
        const id = this.nextId++;
        this.send({ ...message, id });
        const answer = await until(`an answer to ${JSON.stringify(message).slice(0, 100)}`, () => this.answers.find((one) => one.id === id));
        return answer.type === 'done' ? null : answer.message ?? '';
    }

    drop() {
        this.socket.terminate();
        return this.closed;
    }
}
