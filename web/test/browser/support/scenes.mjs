// Small scenes: a body that is drawn and simulated in no time.

/**
 * A soft block on the ground, which sags under its weight.
 * @param {object} [changes] of the scene
 * @param {object} [bodyChanges]
 */
export function block(changes = {}, bodyChanges = {}) {
    return {
        limber: 1, name: 'Block', description: 'A soft block.', frameRate: 60, frames: 600, gravity: [0, -9.81, 0], ground: {},
        bodies: [{
            name: 'block', shape: { kind: 'box', size: [0.4, 0.4, 0.4], edge: 0.05, color: '#e4572e' },
            mesh: { kind: 'tet-grid', edge: 0.1 },
            material: { density: 1000, youngsModulus: 30000, poissonsRatio: 0.3, stiffnessDamping: 0.02, massDamping: 2 },
            position: [0, 0.21, 0], ...bodyChanges,
        }],
        probes: [{ name: 'middle', what: 'position', body: 'block' }],
        ...changes,
    };
}
