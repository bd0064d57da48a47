// Which skin point is under the pointer: a ray against the triangles as they are now.

/** @typedef {{distance: number, triangle: number, point: number}} Hit point: the triangle's corner nearest to the hit */

/**
 * The nearest triangle that a ray meets, from either side (Moller and Trumbore 1997).
 * @param {ArrayLike<number>} origin (3)
 * @param {ArrayLike<number>} direction (3), of length 1
 * @param {Float32Array} positions (P x 3)
 * @param {Uint32Array} triangles (T x 3)
 * @returns {Hit | null}
 */
export function pick_triangle(origin, direction, positions, triangles) {
    const [ox, oy, oz] = [origin[0], origin[1], origin[2]];
    const [dx, dy, dz] = [direction[0], direction[1], direction[2]];
    let distance = Infinity, triangle = -1, u = 0, v = 0;
    for (let i = 0; i < triangles.length; i += 3) {
        const a = 3 * triangles[i], b = 3 * triangles[i + 1], c = 3 * triangles[i + 2];
        const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
        const ex = positions[b] - ax, ey = positions[b + 1] - ay, ez = positions[b + 2] - az;
        const fx = positions[c] - ax, fy = positions[c + 1] - ay, fz = positions[c + 2] - az;
        const px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx;
        const determinant = ex * px + ey * py + ez * pz;
        if (determinant === 0) {
            continue;
        }
        const sx = ox - ax, sy = oy - ay, sz = oz - az;
        const s = (sx * px + sy * py + sz * pz) / determinant;
        if (!(s >= 0 && s <= 1)) {
            continue;
        }
        const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex;
        const t = (dx * qx + dy * qy + dz * qz) / determinant;
        const along = (fx * qx + fy * qy + fz * qz) / determinant;
        if (t >= 0 && s + t <= 1 && along > 0 && along < distance) {
            [distance, triangle, u, v] = [along, i / 3, s, t];
        }
    }
    if (triangle < 0) {
        return null;
    }
    const w = 1 - u - v;
    const corner = w >= u && w >= v ? 0 : u >= v ? 1 : 2;
    return { distance, triangle, point: triangles[3 * triangle + corner] };
}
