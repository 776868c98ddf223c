// Gradient noise: gradients and interpolation in each number of dimensions, as in `shading_compiler::eval::noise`.

// A value with its derivative along each of up to four coordinates.
struct KilnSlope {
    value: f32,
    slope: vec4f,
}

fn kiln_fade(t: f32) -> f32 {
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

fn kiln_fade_slope(t: f32) -> f32 {
    return 30.0 * t * t * (t * (t - 2.0) + 1.0);
}

fn kiln_turned(x: f32, h: u32, bit: u32) -> f32 {
    return select(x, -x, ((h >> bit) & 1u) != 0u);
}

fn kiln_lattice_key(cell: i32, period: i32) -> u32 {
    if (period > 0) {
        let rest = kiln_mod_i(cell, period);
        return u32(select(rest, rest + period, rest < 0));
    }
    return u32(cell);
}

fn kiln_gradient1(h: u32) -> f32 {
    return kiln_turned(1.0 + f32(h & 7u), h, 3u);
}

fn kiln_gradient2(h: u32) -> vec2f {
    let one = kiln_turned(1.0, h, 0u);
    let two = kiln_turned(2.0, h, 1u);
    return select(vec2f(two, one), vec2f(one, two), (h & 7u) < 4u);
}

fn kiln_gradient3(h: u32) -> vec3f {
    let one = kiln_turned(1.0, h, 0u);
    let two = kiln_turned(1.0, h, 1u);
    let n = h & 15u;
    let again = (n & 13u) == 12u;
    let x = select(select(0.0, two, again), one, n < 8u);
    let y = select(select(one, 0.0, n < 8u), two, n < 4u);
    let z = select(two, 0.0, n < 4u || again);
    return vec3f(x, y, z);
}

fn kiln_gradient4(h: u32) -> vec4f {
    let one = kiln_turned(1.0, h, 0u);
    let two = kiln_turned(1.0, h, 1u);
    let three = kiln_turned(1.0, h, 2u);
    let n = h & 31u;
    let x = select(0.0, one, n < 24u);
    let y = select(one, select(0.0, two, n < 16u), n < 24u);
    let z = select(two, select(0.0, three, n < 8u), n < 16u);
    let w = select(three, 0.0, n < 8u);
    return vec4f(x, y, z, w);
}

fn kiln_perlin1(p: f32, period: i32, lane: u32) -> f32 {
    let cell = kiln_int(floor(p));
    let f = p - floor(p);
    let a = kiln_gradient1(kiln_hash1(kiln_lattice_key(cell, period)) >> (8u * lane)) * f;
    let b = kiln_gradient1(kiln_hash1(kiln_lattice_key(cell + 1, period)) >> (8u * lane)) * (f - 1.0);
    return 0.25 * kiln_blend(a, b, kiln_fade(f));
}

fn kiln_blend(a: f32, b: f32, t: f32) -> f32 {
    return a * (1.0 - t) + b * t;
}

fn kiln_blend_v(a: vec4f, b: vec4f, t: f32) -> vec4f {
    return a * (1.0 - t) + b * t;
}

fn kiln_perlin1_slope(p: f32, period: i32, lane: u32) -> KilnSlope {
    let cell = kiln_int(floor(p));
    let f = p - floor(p);
    let ga = kiln_gradient1(kiln_hash1(kiln_lattice_key(cell, period)) >> (8u * lane));
    let gb = kiln_gradient1(kiln_hash1(kiln_lattice_key(cell + 1, period)) >> (8u * lane));
    let a = ga * f;
    let b = gb * (f - 1.0);
    let t = kiln_fade(f);
    let slope = kiln_blend(ga, gb, t) + (b - a) * kiln_fade_slope(f);
    return KilnSlope(0.25 * kiln_blend(a, b, t), vec4f(0.25 * slope, 0.0, 0.0, 0.0));
}

fn kiln_corner2(cell: vec2i, period: vec2i, lane: u32, x: i32, y: i32) -> vec2f {
    let key = vec2u(kiln_lattice_key(cell.x + x, period.x), kiln_lattice_key(cell.y + y, period.y));
    return kiln_gradient2(kiln_hash2(key) >> (8u * lane));
}

fn kiln_perlin2(p: vec2f, period: vec2i, lane: u32) -> f32 {
    let low = floor(p);
    let cell = vec2i(kiln_int(low.x), kiln_int(low.y));
    let f = p - low;
    let a = dot(kiln_corner2(cell, period, lane, 0, 0), f);
    let b = dot(kiln_corner2(cell, period, lane, 1, 0), f - vec2f(1.0, 0.0));
    let c = dot(kiln_corner2(cell, period, lane, 0, 1), f - vec2f(0.0, 1.0));
    let d = dot(kiln_corner2(cell, period, lane, 1, 1), f - vec2f(1.0));
    let u = kiln_fade(f.x);
    return 0.6616 * kiln_blend(kiln_blend(a, b, u), kiln_blend(c, d, u), kiln_fade(f.y));
}

fn kiln_perlin2_slope(p: vec2f, period: vec2i, lane: u32) -> KilnSlope {
    let low = floor(p);
    let cell = vec2i(kiln_int(low.x), kiln_int(low.y));
    let f = p - low;
    let ga = kiln_corner2(cell, period, lane, 0, 0);
    let gb = kiln_corner2(cell, period, lane, 1, 0);
    let gc = kiln_corner2(cell, period, lane, 0, 1);
    let gd = kiln_corner2(cell, period, lane, 1, 1);
    let a = dot(ga, f);
    let b = dot(gb, f - vec2f(1.0, 0.0));
    let c = dot(gc, f - vec2f(0.0, 1.0));
    let d = dot(gd, f - vec2f(1.0));
    let u = kiln_fade(f.x);
    let v = kiln_fade(f.y);
    let gradient = (ga * (1.0 - u) + gb * u) * (1.0 - v) + (gc * (1.0 - u) + gd * u) * v;
    let x = gradient.x + kiln_blend(b - a, d - c, v) * kiln_fade_slope(f.x);
    let y = gradient.y + (kiln_blend(c, d, u) - kiln_blend(a, b, u)) * kiln_fade_slope(f.y);
    let value = kiln_blend(kiln_blend(a, b, u), kiln_blend(c, d, u), v);
    return KilnSlope(0.6616 * value, 0.6616 * vec4f(x, y, 0.0, 0.0));
}

fn kiln_corner3(cell: vec3i, period: vec3i, lane: u32, offset: vec3i) -> vec3f {
    let at = cell + offset;
    let key = vec3u(kiln_lattice_key(at.x, period.x), kiln_lattice_key(at.y, period.y), kiln_lattice_key(at.z, period.z));
    return kiln_gradient3(kiln_hash3(key) >> (8u * lane));
}

fn kiln_cell3i(low: vec3f) -> vec3i {
    return vec3i(kiln_int(low.x), kiln_int(low.y), kiln_int(low.z));
}

// The values of the corners of a face: at (0, 0), (1, 0), (0, 1) and (1, 1).
fn kiln_face3(cell: vec3i, period: vec3i, lane: u32, f: vec3f, z: i32) -> vec4f {
    let a = dot(kiln_corner3(cell, period, lane, vec3i(0, 0, z)), f - vec3f(0.0, 0.0, f32(z)));
    let b = dot(kiln_corner3(cell, period, lane, vec3i(1, 0, z)), f - vec3f(1.0, 0.0, f32(z)));
    let c = dot(kiln_corner3(cell, period, lane, vec3i(0, 1, z)), f - vec3f(0.0, 1.0, f32(z)));
    let d = dot(kiln_corner3(cell, period, lane, vec3i(1, 1, z)), f - vec3f(1.0, 1.0, f32(z)));
    return vec4f(a, b, c, d);
}

fn kiln_in_face(v: vec4f, t: vec2f) -> f32 {
    return kiln_blend(kiln_blend(v.x, v.y, t.x), kiln_blend(v.z, v.w, t.x), t.y);
}

fn kiln_perlin3(p: vec3f, period: vec3i, lane: u32) -> f32 {
    let low = floor(p);
    let cell = kiln_cell3i(low);
    let f = p - low;
    let t = vec3f(kiln_fade(f.x), kiln_fade(f.y), kiln_fade(f.z));
    let face = kiln_blend_v(kiln_face3(cell, period, lane, f, 0), kiln_face3(cell, period, lane, f, 1), t.z);
    return 0.982 * kiln_in_face(face, t.xy);
}

fn kiln_perlin3_slope(p: vec3f, period: vec3i, lane: u32) -> KilnSlope {
    let low = floor(p);
    let cell = kiln_cell3i(low);
    let f = p - low;
    let t = vec3f(kiln_fade(f.x), kiln_fade(f.y), kiln_fade(f.z));
    let near = kiln_face3(cell, period, lane, f, 0);
    let far = kiln_face3(cell, period, lane, f, 1);
    let face = kiln_blend_v(near, far, t.z);
    var gradient = vec3f(0.0);
    for (var i = 0; i < 8; i = i + 1) {
        let offset = vec3i(i & 1, (i >> 1u) & 1, i >> 2u);
        let share = select(vec3f(1.0) - t, t, offset != vec3i(0));
        gradient = gradient + kiln_corner3(cell, period, lane, offset) * (share.x * share.y * share.z);
    }
    let x = kiln_blend(face.y - face.x, face.w - face.z, t.y) * kiln_fade_slope(f.x);
    let y = (kiln_blend(face.z, face.w, t.x) - kiln_blend(face.x, face.y, t.x)) * kiln_fade_slope(f.y);
    let z = kiln_in_face(far - near, t.xy) * kiln_fade_slope(f.z);
    return KilnSlope(0.982 * kiln_in_face(face, t.xy), 0.982 * vec4f(gradient + vec3f(x, y, z), 0.0));
}

fn kiln_corner4(cell: vec4i, period: vec4i, lane: u32, offset: vec4i) -> vec4f {
    let at = cell + offset;
    let key = vec4u(kiln_lattice_key(at.x, period.x), kiln_lattice_key(at.y, period.y),
        kiln_lattice_key(at.z, period.z), kiln_lattice_key(at.w, period.w));
    return kiln_gradient4(kiln_hash4(key) >> (8u * lane));
}

fn kiln_perlin4_slope(p: vec4f, period: vec4i, lane: u32) -> KilnSlope {
    let low = floor(p);
    let cell = vec4i(kiln_int(low.x), kiln_int(low.y), kiln_int(low.z), kiln_int(low.w));
    let f = p - low;
    let t = vec4f(kiln_fade(f.x), kiln_fade(f.y), kiln_fade(f.z), kiln_fade(f.w));
    var value = 0.0;
    var gradient = vec4f(0.0);
    var change = vec4f(0.0);
    for (var i = 0; i < 16; i = i + 1) {
        let offset = vec4i(i & 1, (i >> 1u) & 1, (i >> 2u) & 1, i >> 3u);
        let share = select(vec4f(1.0) - t, t, offset != vec4i(0));
        let way = select(vec4f(-1.0), vec4f(1.0), offset != vec4i(0));
        let corner = kiln_corner4(cell, period, lane, offset);
        let one = dot(corner, f - vec4f(offset));
        value = value + one * (share.x * share.y * share.z * share.w);
        gradient = gradient + corner * (share.x * share.y * share.z * share.w);
        change = change + one * way * vec4f(share.y * share.z * share.w, share.x * share.z * share.w,
            share.x * share.y * share.w, share.x * share.y * share.z);
    }
    let slopes = vec4f(kiln_fade_slope(f.x), kiln_fade_slope(f.y), kiln_fade_slope(f.z), kiln_fade_slope(f.w));
    return KilnSlope(0.8344 * value, 0.8344 * (gradient + change * slopes));
}

fn kiln_perlin4(p: vec4f, period: vec4i, lane: u32) -> f32 {
    let low = floor(p);
    let cell = vec4i(kiln_int(low.x), kiln_int(low.y), kiln_int(low.z), kiln_int(low.w));
    let f = p - low;
    let t = vec4f(kiln_fade(f.x), kiln_fade(f.y), kiln_fade(f.z), kiln_fade(f.w));
    var value = 0.0;
    for (var i = 0; i < 16; i = i + 1) {
        let offset = vec4i(i & 1, (i >> 1u) & 1, (i >> 2u) & 1, i >> 3u);
        let share = select(vec4f(1.0) - t, t, offset != vec4i(0));
        let corner = kiln_corner4(cell, period, lane, offset);
        value = value + dot(corner, f - vec4f(offset)) * (share.x * share.y * share.z * share.w);
    }
    return 0.8344 * value;
}
