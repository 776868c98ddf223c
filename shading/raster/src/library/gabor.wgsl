// Gabor noise (Lagae et al. 2009, 2011), as in `shading_compiler::eval::noise`.

struct KilnGabor {
    anisotropic: i32,
    direction: vec3f,
    a: f32,
    radius: f32,
    density: f32,
    filtered: bool,
    tangent: vec3f,
    bitangent: vec3f,
    normal: vec3f,
    // Covariance of the pixel, row by row.
    sigma: vec4f,
}

fn kiln_random(state: ptr<function, u32>) -> f32 {
    *state = *state * 3039177861u;
    return f32(*state) * 2.3283064370807974e-10;
}

fn kiln_determinant2(m: vec4f) -> f32 {
    return m.x * m.w - m.y * m.z;
}

fn kiln_inverse2(m: vec4f) -> vec4f {
    return vec4f(m.w, -m.y, -m.z, m.x) * (1.0 / kiln_determinant2(m));
}

fn kiln_product2(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(a.x * b.x + a.y * b.z, a.x * b.y + a.y * b.w, a.z * b.x + a.w * b.z, a.z * b.y + a.w * b.w);
}

fn kiln_applied2(m: vec4f, v: vec2f) -> vec2f {
    return vec2f(v.x * m.x + v.y * m.z, v.x * m.y + v.y * m.w);
}

// A wave in a Gaussian window: the value, and its derivatives with respect to the position.
fn kiln_bell(height: f32, steepness: vec3f, wave: vec3f, phase: f32) -> vec4f {
    let c = kiln_cos(phase);
    return vec4f(height * c, height * (steepness * c - 6.2831855 * kiln_sin(phase) * wave));
}

fn kiln_gabor_kernel(anisotropic: i32, do_filter: i32, direction: vec3f, bandwidth: f32, impulses: f32, dx: vec3f, dy: vec3f) -> KilnGabor {
    var kernel: KilnGabor;
    kernel.anisotropic = anisotropic;
    kernel.direction = direction;
    let octaves = exp2(clamp(bandwidth, 0.01, 100.0));
    kernel.a = 2.0 * ((octaves - 1.0) / (octaves + 1.0)) * 2.128934;
    kernel.radius = 1.1159012 / kernel.a;
    let count = clamp(impulses, 1.0, 32.0);
    kernel.density = count / (1.33333 * 3.1415927 * (kernel.radius * kernel.radius * kernel.radius));
    let across = cross(dx, dy);
    if (do_filter == 0 || dot(across, across) < 1e-6) {
        return kernel;
    }
    let normal = kiln_normalize(across);
    let flat = select(vec3f(-normal.z, 0.0, normal.x), vec3f(0.0, normal.z, -normal.y), abs(normal.x) < 0.9);
    let tangent = kiln_normalize(flat);
    let bitangent = cross(normal, tangent);
    let screen = vec4f(dx.x * tangent.x + dy.x * tangent.y, dx.x * bitangent.x + dy.x * bitangent.y,
        dx.y * tangent.x + dy.y * tangent.y, dx.y * bitangent.x + dy.y * bitangent.y);
    kernel.sigma = kiln_product2(screen.xzyw, screen * 0.25);
    kernel.tangent = tangent;
    kernel.bitangent = bitangent;
    kernel.normal = normal;
    kernel.filtered = kiln_determinant2(kernel.sigma) >= 1e-18;
    return kernel;
}

fn kiln_gabor_filtered(kernel: KilnGabor, at: vec3f, wave: vec3f, phase: f32) -> vec4f {
    let place = vec2f(dot(at, kernel.tangent), dot(at, kernel.bitangent));
    let distance = -dot(at, kernel.normal);
    let flat = vec2f(dot(kernel.tangent, wave), dot(kernel.bitangent, wave));
    let a2 = kernel.a * kernel.a;
    let turned = phase - distance * 6.2831855 * dot(kernel.normal, wave);
    let variance = a2 / 6.2831855;
    let pixel = kiln_inverse2(kernel.sigma) * (1.0 / 39.478416);
    let both = pixel + vec4f(variance, 0.0, 0.0, variance);
    let peak = 1.0 / (6.2831855 * sqrt(kiln_determinant2(kernel.sigma)));
    let overlap = exp(-0.5 * dot(kiln_applied2(kiln_inverse2(both), flat), flat));
    let height = exp(distance * distance * (-3.1415927 * a2)) * peak
        * (1.0 / (6.2831855 * sqrt(kiln_determinant2(both)))) * overlap;
    let own = 1.0 / variance;
    let joined = kiln_inverse2(kiln_inverse2(pixel) + vec4f(own, 0.0, 0.0, own));
    let along = kiln_applied2(joined * own, flat);
    let width = 6.2831855 * sqrt(kiln_determinant2(joined));
    let steepness = 6.2831855 * (a2 * distance * kernel.normal
        - width * (place.x * kernel.tangent + place.y * kernel.bitangent));
    let turn = along.x * kernel.tangent + along.y * kernel.bitangent + dot(kernel.normal, wave) * kernel.normal;
    let bell = height * exp(dot(place, place) * (-3.1415927 * width));
    return kiln_bell(bell, steepness, turn, dot(along, place) * 6.2831855 + turned);
}

fn kiln_gabor_impulse(kernel: KilnGabor, at: vec3f, wave: vec3f, phase: f32) -> vec4f {
    if (kernel.filtered) {
        let filtered = kiln_gabor_filtered(kernel, at, wave, phase);
        if (kiln_isfinite(filtered.x) != 0) {
            return filtered;
        }
    }
    let a2 = kernel.a * kernel.a;
    let bell = exp(dot(at, at) * (-3.1415927 * a2));
    return kiln_bell(bell, at * (-6.2831855 * a2), wave, dot(wave, at) * 6.2831855 + phase);
}

fn kiln_gabor_wave(kernel: KilnGabor, state: ptr<function, u32>) -> vec3f {
    if (kernel.anisotropic == 1) {
        return kernel.direction;
    }
    let angle = 6.2831855 * kiln_random(state);
    if (kernel.anisotropic == 0) {
        let up = 2.0 * kiln_random(state) - 1.0;
        let out = sqrt(max(1.0 - up * up, 0.0));
        return kiln_normalize(vec3f(kiln_cos(angle) * out, kiln_sin(angle) * out, up));
    }
    return kiln_length(kernel.direction) * vec3f(kiln_cos(angle), kiln_sin(angle), 0.0);
}

fn kiln_gabor_cell(kernel: KilnGabor, cell: vec3f, p: vec3f, periodic: bool, period: vec3f, lane: u32) -> vec4f {
    var at = cell;
    if (periodic) {
        at = vec3f(kiln_wrap(cell.x, period.x), kiln_wrap(cell.y, period.y), kiln_wrap(cell.z, period.z));
    }
    var state = max(kiln_hash4(vec4u(kiln_cell_of(at.x), kiln_cell_of(at.y), kiln_cell_of(at.z), lane)), 1u);
    let limit = exp(-kernel.density * (kernel.radius * kernel.radius * kernel.radius));
    var count = 0;
    var product = kiln_random(&state);
    while (product > limit && count < 64) {
        count = count + 1;
        product = product * kiln_random(&state);
    }
    var sum = vec4f(0.0);
    for (var i = 0; i < count; i = i + 1) {
        let z = kiln_random(&state);
        let y = kiln_random(&state);
        let x = kiln_random(&state);
        let way = (p - vec3f(x, y, z)) * kernel.radius;
        let wave = kiln_gabor_wave(kernel, &state);
        let phase = 6.2831855 * kiln_random(&state);
        if (dot(way, way) < kernel.radius * kernel.radius) {
            sum = sum + kiln_gabor_impulse(kernel, way, wave, phase);
        }
    }
    return sum;
}

fn kiln_gabor_slope(kernel: KilnGabor, p: vec3f, periodic: bool, period: vec3f, lane: u32) -> vec4f {
    let scaled = p * (1.0 / kernel.radius);
    let low = floor(scaled);
    let inside = scaled - low;
    var sum = vec4f(0.0);
    for (var i = 0; i < 27; i = i + 1) {
        let offset = vec3f(f32(i % 3 - 1), f32((i / 3) % 3 - 1), f32(i / 9 - 1));
        sum = sum + kiln_gabor_cell(kernel, low + offset, inside - offset, periodic, period, lane);
    }
    let variance = 1.0 / (5.656854 * (kernel.a * kernel.a * kernel.a));
    return sum * (1.0 / sqrt(kernel.density)) * (1.0 / (3.0 * sqrt(variance)) * 0.5);
}

fn kiln_gabor(kernel: KilnGabor, p: vec3f, periodic: bool, period: vec3f, lane: u32) -> f32 {
    return kiln_gabor_slope(kernel, p, periodic, period, lane).x;
}

fn kiln_gabor_v(kernel: KilnGabor, p: vec3f, periodic: bool, period: vec3f) -> vec3f {
    return vec3f(kiln_gabor(kernel, p, periodic, period, 0u), kiln_gabor(kernel, p, periodic, period, 1u),
        kiln_gabor(kernel, p, periodic, period, 2u));
}

// The value and its directional derivatives along two directions.
fn kiln_gabor_dual(s: vec4f, dx: vec3f, dy: vec3f) -> vec3f {
    return vec3f(s.x, dot(s.yzw, dx), dot(s.yzw, dy));
}
