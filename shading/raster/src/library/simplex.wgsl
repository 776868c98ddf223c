// Simplex noise (Gustavson 2005), as in `shading_compiler::eval::noise`.

fn kiln_scramble(a: u32, b: u32, c: u32) -> u32 {
    return kiln_finished(vec3u(a, b, c ^ 3735928559u));
}

fn kiln_simplex1_corner(p: f32, low: f32, offset: u32, lane: u32) -> vec2f {
    let at = p - (low + f32(offset));
    let h = kiln_scramble(u32(kiln_int(low)) + offset, lane, 0u);
    let gradient = kiln_turned(1.0 + f32(h & 7u), h, 3u);
    let t = 1.0 - at * at;
    let t2 = t * t;
    return vec2f(t2 * t2 * gradient * at, gradient * (t2 * t2 - 8.0 * t2 * t * at * at));
}

fn kiln_simplex1_slope(p: f32, lane: u32) -> KilnSlope {
    let low = floor(p);
    let sum = (kiln_simplex1_corner(p, low, 0u, lane) + kiln_simplex1_corner(p, low, 1u, lane)) * 0.36;
    return KilnSlope(sum.x, vec4f(sum.y, 0.0, 0.0, 0.0));
}

fn kiln_simplex_gradient2(h: u32) -> vec4f {
    var table = array<vec2f, 8>(vec2f(-1.0, -1.0), vec2f(1.0, 0.0), vec2f(-1.0, 0.0), vec2f(1.0, 1.0),
        vec2f(-1.0, 1.0), vec2f(0.0, -1.0), vec2f(0.0, 1.0), vec2f(1.0, -1.0));
    return vec4f(table[h & 7u], 0.0, 0.0);
}

fn kiln_simplex_gradient3(h: u32) -> vec4f {
    var table = array<vec3f, 16>(vec3f(1.0, 0.0, 1.0), vec3f(0.0, 1.0, 1.0), vec3f(-1.0, 0.0, 1.0),
        vec3f(0.0, -1.0, 1.0), vec3f(1.0, 0.0, -1.0), vec3f(0.0, 1.0, -1.0), vec3f(-1.0, 0.0, -1.0),
        vec3f(0.0, -1.0, -1.0), vec3f(1.0, -1.0, 0.0), vec3f(1.0, 1.0, 0.0), vec3f(-1.0, 1.0, 0.0),
        vec3f(-1.0, -1.0, 0.0), vec3f(1.0, 0.0, 1.0), vec3f(-1.0, 0.0, 1.0), vec3f(0.0, 1.0, -1.0),
        vec3f(0.0, -1.0, -1.0));
    return vec4f(table[h & 15u], 0.0);
}

fn kiln_simplex_gradient4(h: u32) -> vec4f {
    let zero = (h >> 3u) & 3u;
    let a = kiln_turned(1.0, h, 2u);
    let b = kiln_turned(1.0, h, 1u);
    let c = kiln_turned(1.0, h, 0u);
    if (zero == 0u) {
        return vec4f(0.0, a, b, c);
    }
    if (zero == 1u) {
        return vec4f(a, 0.0, b, c);
    }
    if (zero == 2u) {
        return vec4f(a, b, 0.0, c);
    }
    return vec4f(a, b, c, 0.0);
}

// The contribution of one corner: value and gradient. `x` is the vector from the corner.
fn kiln_simplex_corner(x: vec4f, gradient: vec4f) -> KilnSlope {
    let t = 0.5 - dot(x, x);
    if (t < 0.0) {
        return KilnSlope(0.0, vec4f(0.0));
    }
    let along = dot(gradient, x);
    let t2 = t * t;
    return KilnSlope(t2 * t2 * along, t2 * t2 * gradient - 8.0 * t2 * t * along * x);
}

fn kiln_above(a: f32, b: f32, equal: bool) -> vec2i {
    return select(vec2i(0, 1), vec2i(1, 0), a > b || (equal && a == b));
}

fn kiln_simplex2_slope(p: vec2f, lane: u32) -> KilnSlope {
    let cells = floor(p + vec2f((p.x + p.y) * 0.3660254));
    let keys = vec2i(kiln_int(cells.x), kiln_int(cells.y));
    let at = p - (cells - vec2f(f32(keys.x + keys.y) * 0.21132487));
    let ranks = kiln_above(at.x, at.y, false);
    var value = 0.0;
    var slope = vec4f(0.0);
    for (var corner = 0; corner < 3; corner = corner + 1) {
        let offset = vec2i(ranks + vec2i(corner) >= vec2i(2));
        let x = at - vec2f(offset) + vec2f(f32(corner) * 0.21132487);
        let key = keys + offset;
        let gradient = kiln_simplex_gradient2(kiln_scramble(u32(key.x), u32(key.y), lane));
        let one = kiln_simplex_corner(vec4f(x, 0.0, 0.0), gradient);
        value = value + one.value;
        slope = slope + one.slope;
    }
    return KilnSlope(value * 64.0, slope * 64.0);
}

fn kiln_simplex3_slope(p: vec3f, lane: u32) -> KilnSlope {
    let cells = floor(p + vec3f((p.x + p.y + p.z) * 0.33333333));
    let keys = kiln_cell3i(cells);
    let at = p - (cells - vec3f(f32(keys.x + keys.y + keys.z) * 0.16666667));
    let xy = kiln_above(at.x, at.y, true);
    let xz = kiln_above(at.x, at.z, true);
    let yz = kiln_above(at.y, at.z, true);
    let ranks = vec3i(xy.x + xz.x, xy.y + yz.x, xz.y + yz.y);
    var value = 0.0;
    var slope = vec4f(0.0);
    for (var corner = 0; corner < 4; corner = corner + 1) {
        let offset = vec3i(ranks + vec3i(corner) >= vec3i(3));
        let x = at - vec3f(offset) + vec3f(f32(corner) * 0.16666667);
        let key = keys + offset;
        let h = kiln_scramble(u32(key.x), u32(key.y), kiln_scramble(u32(key.z), lane, 0u));
        let one = kiln_simplex_corner(vec4f(x, 0.0), kiln_simplex_gradient3(h));
        value = value + one.value;
        slope = slope + one.slope;
    }
    return KilnSlope(value * 68.0, slope * 68.0);
}

fn kiln_simplex4_slope(p: vec4f, lane: u32) -> KilnSlope {
    let cells = floor(p + vec4f((p.x + p.y + p.z + p.w) * 0.309017));
    let keys = vec4i(kiln_int(cells.x), kiln_int(cells.y), kiln_int(cells.z), kiln_int(cells.w));
    let at = p - (cells - vec4f(f32(keys.x + keys.y + keys.z + keys.w) * 0.1381966));
    let xy = kiln_above(at.x, at.y, false);
    let xz = kiln_above(at.x, at.z, false);
    let xw = kiln_above(at.x, at.w, false);
    let yz = kiln_above(at.y, at.z, false);
    let yw = kiln_above(at.y, at.w, false);
    let zw = kiln_above(at.z, at.w, false);
    let ranks = vec4i(xy.x + xz.x + xw.x, xy.y + yz.x + yw.x, xz.y + yz.y + zw.x, xw.y + yw.y + zw.y);
    var value = 0.0;
    var slope = vec4f(0.0);
    for (var corner = 0; corner < 5; corner = corner + 1) {
        let offset = vec4i(ranks + vec4i(corner) >= vec4i(4));
        let x = at - vec4f(offset) + vec4f(f32(corner) * 0.1381966);
        let key = keys + offset;
        let h = kiln_scramble(u32(key.x), u32(key.y), kiln_scramble(u32(key.z), u32(key.w), lane));
        let one = kiln_simplex_corner(x, kiln_simplex_gradient4(h));
        value = value + one.value;
        slope = slope + one.slope;
    }
    return KilnSlope(value * 54.0, slope * 54.0);
}
