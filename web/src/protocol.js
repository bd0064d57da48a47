// The messages of docs/protocol.md as types, and the few numbers of it that both sides must agree on.

/** @typedef {{name: string, label: string, description?: string}} Described */
/** @typedef {Described & {meshes?: string[]}} Law */
/** @typedef {Described & {implicit?: boolean}} Integrator */
/** @typedef {{file: string, name: string, description: string, textbook?: boolean, picture?: boolean}} SceneEntry textbook: has a known answer; picture: pictures/FILE.jpg is there */
/** @typedef {{name: string, label: string, unit: string, description?: string, diverging?: boolean}} Field */
/** @typedef {{name: string, label: string, unit: string, group: string}} Stat */
/** @typedef {{name: string, unit: string}} Probe */
/** @typedef {number | boolean | string | number[] | null} Value null: not set */
/** @typedef {'number' | 'integer' | 'boolean' | 'choice' | 'vector'} PropertyType */
/** @typedef {string | Described} Choice */

/**
 * What can be changed, of the scene or of a body. zero: what 0 stands for, where it may be given beside the range.
 * optional: may be null. beside: counts only where this other property is set, to besideChoice if one is named.
 * @typedef {{
 *   path: string, body?: boolean, label: string, unit?: string, description?: string, group?: string,
 *   type: PropertyType, minimum?: number, maximum?: number, scale?: 'linear' | 'log', choices?: Choice[],
 *   default?: Value, zero?: string, optional?: boolean, beside?: string, besideChoice?: string | null,
 *   live?: boolean, kinds?: string[], meshes?: string[], laws?: string[], integrators?: string[], shapes?: string[],
 * }} Property
 */

/**
 * @typedef {{
 *   type: 'hello', protocol: number, version: string, client: number, scenes: SceneEntry[], kinds?: Described[],
 *   shapes: Described[], objects?: Thing[], matters?: Matter[],
 *   meshes: Described[], laws: Law[], integrators: Integrator[], tools: Described[], fields: Field[],
 *   properties: Property[], stats: Stat[], files: string[],
 * }} Hello
 */

/**
 * color: "#rrggbb", or linear red, green, blue (and alpha) from 0 to 1.
 * @typedef {{
 *   name?: string, color: string | number[], metallic: number, roughness: number, texture: unknown,
 * }} Material
 */

/**
 * @typedef {{
 *   name: string, kind?: string, shape: string, mesh: string | null, law: string | null, integrator: string | null,
 *   method?: string, steps?: number, undampedSteps?: number,
 *   nodes: number, springs: number,
 *   tets: number, points: number, triangles: number, mass: number, fields: string[], values: Record<string, Value>,
 *   materials: Material[],
 * }} Body
 */

/**
 * points (P x 3, m) and triangles (T x 3) of a mesh; where it deforms, frames say where its points are.
 * @typedef {{name?: string, kind?: string, deforms?: boolean, points?: number[], triangles?: number[]}} SceneTool
 */

/**
 * values: of the scene's own properties, where the server sends them; else they are read from the document.
 * @typedef {{
 *   type: 'scene', revision: number, name: string, description: string, document: Record<string, any>,
 *   frameRate: number, bodies: Body[], tools: SceneTool[], probes: Probe[],
 *   values?: Record<string, Value>,
 * }} Scene
 */

/** @typedef {{pin: number, body: number, point: number | null, position: number[], own: boolean}} Pin */
/** @typedef {{type: 'objects', pins: Pin[]}} Objects */
/**
 * Of a precomputed body: where its centre and its axes are (m), and what holds it (N, N m).
 * @typedef {{
 *   name: string, fixed: boolean, free: boolean, center: number[], x: number[], y: number[], z: number[],
 *   force: number[], torque: number[],
 * }} Control
 */
/** @typedef {{body: number, refusal: string | null, value: number, limit: number, controls: Control[]}} ControlledBody refusal: which limit of linearity keeps the last shape */
/** @typedef {{type: 'controls', revision: number, bodies: ControlledBody[]}} ControlsMessage */
/**
 * undo, redo: what would be taken back or done again; null: nothing.
 * @typedef {{
 *   type: 'state', paused: boolean, speed: number, recording: boolean, building?: boolean, looping?: boolean,
 *   clients: number, undo?: string | null, redo?: string | null,
 * }} State
 */
/** @typedef {Described & {fixed: boolean}} Thing what can be added; fixed: it stays where it is put */
/**
 * @typedef {Described & {
 *   source: string, color: string, sheet: boolean, rigid: boolean, density: number, youngsModulus: number, poissonsRatio: number,
 * }} Matter
 */
/** @typedef {{label: string, messages: ClientMessage[]}} Action what can be done about a notice */
/** @typedef {{type: 'values', path: string, value: Value, method?: string, steps?: number,
 *   undampedSteps?: number}} Values */
/** @typedef {{type: 'notice', level: 'info' | 'warning' | 'error', message: string, actions?: Action[]}} Notice */
/** @typedef {{type: 'recording', frames: number, seconds: number, ready?: boolean}} Recording */
/** @typedef {{type: 'done', id?: number}} Done */
/** @typedef {{type: 'error', id?: number, message: string}} ErrorAnswer */
/** @typedef {Hello | Scene | Objects | ControlsMessage | State | Values | Notice | Recording | Done | ErrorAnswer} ServerMessage */

/** @typedef {{type: string} & Record<string, unknown>} ClientMessage */

export const subprotocol = 'limber.v1';
export const version = 1;
export const handKind = 1000; // among the kinds of tools in a frame
export const handCount = 10; // hands are a client's own numbers, 0 to 9
