// Elementary functions with OSL's safe domains, as in `shading_compiler::eval::math`.

fn kiln_bits(bits: u32) -> f32 {
    return bitcast<f32>(bits);
}

fn kiln_opaque_i(x: i32) -> i32 {
    return x;
}

fn kiln_opaque_f(x: f32) -> f32 {
    return x;
}

fn kiln_opaque_v(x: vec3f) -> vec3f {
    return x;
}

fn kiln_opaque_m(x: mat4x4f) -> mat4x4f {
    return x;
}

fn kiln_int(x: f32) -> i32 {
    let whole = i32(clamp(x, -2147483520.0, 2147483520.0));
    return select(i32(-2147483648), whole, x < 2147483648.0 && x > -2147483648.0);
}

fn kiln_div_i(a: i32, b: i32) -> i32 {
    if (b == 0) {
        return 0;
    }
    // GLSL ES leaves open how negative numbers are divided.
    let size = bitcast<i32>(u32(abs(a)) / u32(abs(b)));
    return select(size, 0 - size, (a < 0) != (b < 0));
}

fn kiln_mod_i(a: i32, b: i32) -> i32 {
    if (b == 0) {
        return 0;
    }
    return a - b * kiln_div_i(a, b);
}

fn kiln_shl(a: i32, b: i32) -> i32 {
    return a << (u32(b) & 31u);
}

fn kiln_shr(a: i32, b: i32) -> i32 {
    return a >> (u32(b) & 31u);
}

fn kiln_div(a: f32, b: f32) -> f32 {
    if (b == 0.0) {
        return 0.0;
    }
    return a / b;
}

fn kiln_div_v(a: vec3f, b: vec3f) -> vec3f {
    return vec3f(kiln_div(a.x, b.x), kiln_div(a.y, b.y), kiln_div(a.z, b.z));
}

fn kiln_min(a: f32, b: f32) -> f32 {
    return select(a, b, b < a);
}

fn kiln_max(a: f32, b: f32) -> f32 {
    return select(a, b, a < b);
}

fn kiln_isnan(x: f32) -> i32 {
    return select(0, 1, (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u);
}

fn kiln_isinf(x: f32) -> i32 {
    return select(0, 1, (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u);
}

fn kiln_isfinite(x: f32) -> i32 {
    return select(0, 1, (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u);
}

fn kiln_with_sign(size: f32, sign: f32) -> f32 {
    return select(abs(size), -abs(size), sign < 0.0);
}

struct KilnReduced {
    whole: i32,
    rest: f32,
}

fn kiln_reduced(x: f32, inverse: f32, quarters: f32) -> KilnReduced {
    let whole = kiln_int(round(x * inverse));
    let n = f32(whole) * quarters;
    let rest = (((x - n * 0.78515625) - n * 0.00024187565) - n * 3.7747668e-8) - n * 1.281672e-12;
    return KilnReduced(whole, rest);
}

fn kiln_sin(angle: f32) -> f32 {
    let reduced = kiln_reduced(angle, 0.31830987, 4.0);
    let square = reduced.rest * reduced.rest;
    let x = select(-reduced.rest, reduced.rest, (reduced.whole & 1) == 0);
    let r = ((2.608316e-6 * square - 0.0001981069) * square + 0.008333079) * square - 0.1666666;
    return clamp(square * (r * x) + x, -1.0, 1.0);
}

fn kiln_cos(angle: f32) -> f32 {
    let reduced = kiln_reduced(angle, 0.31830987, 4.0);
    let square = reduced.rest * reduced.rest;
    let r = ((((-2.7181184e-7 * square + 2.4799045e-5) * square - 0.0013888879) * square + 0.041666664) * square - 0.5) * square + 1.0;
    return clamp(select(-r, r, (reduced.whole & 1) == 0), -1.0, 1.0);
}

fn kiln_tan(angle: f32) -> f32 {
    let reduced = kiln_reduced(angle, 0.63661977, 2.0);
    let x = reduced.rest;
    let square = x * x;
    let p = ((((0.009272458 * square + 0.00331985) * square + 0.024299808) * square + 0.05344953) * square + 0.133383) * square + 0.33333185;
    let r = square * (p * x) + x;
    if ((reduced.whole & 1) == 0) {
        return r;
    }
    return -1.0 / r;
}

fn kiln_acos_of_size(x: f32) -> f32 {
    let m = min(abs(x), 1.0);
    return sqrt(1.0 - m) * (1.5707964 + m * (-0.21330099 + m * (0.07798048 + m * -0.02164095)));
}

fn kiln_asin(x: f32) -> f32 {
    return kiln_with_sign(1.5707964 - kiln_acos_of_size(x), x);
}

fn kiln_acos(x: f32) -> f32 {
    let a = kiln_acos_of_size(x);
    return select(a, 3.1415927 - a, x < 0.0);
}

fn kiln_atan_of_ratio(x: f32) -> f32 {
    let square = x * x;
    return x * (0.43016568 * square + 1.0) / ((0.0579355 * square + 0.763008) * square + 1.0);
}

fn kiln_atan(x: f32) -> f32 {
    let a = abs(x);
    if (a > 1.0) {
        return kiln_with_sign(1.5707964 - kiln_atan_of_ratio(1.0 / a), x);
    }
    return kiln_with_sign(kiln_atan_of_ratio(a), x);
}

fn kiln_atan2(y: f32, x: f32) -> f32 {
    let a = abs(x);
    let b = abs(y);
    var ratio = 0.0;
    if (b != 0.0) {
        if (a == b) {
            ratio = 1.0;
        } else if (b > a) {
            ratio = a / b;
        } else {
            ratio = b / a;
        }
    }
    var r = kiln_atan_of_ratio(ratio);
    if (b > a) {
        r = 1.5707964 - r;
    }
    if ((bitcast<u32>(x) >> 31u) != 0u && kiln_isnan(x) == 0) {
        r = 3.1415927 - r;
    }
    return select(r, -r, (bitcast<u32>(y) >> 31u) != 0u);
}

fn kiln_exp2(x: f32) -> f32 {
    return exp2(clamp(x, -126.0, 126.0));
}

fn kiln_exp(x: f32) -> f32 {
    return kiln_exp2(x * 1.442695);
}

fn kiln_expm1(x: f32) -> f32 {
    if (abs(x) < 1e-5) {
        return kiln_with_sign(0.5 * (x * x) + x, x);
    }
    return kiln_exp(x) - 1.0;
}

fn kiln_sinh(x: f32) -> f32 {
    let a = abs(x);
    if (a > 1.0) {
        let e = kiln_exp(a);
        return kiln_with_sign(0.5 * e - 0.5 / e, x);
    }
    let square = a * a;
    let r = (2.0394551e-4 * square + 8.329903e-3) * square + 0.16666734;
    return kiln_with_sign(r * a * square + a, x);
}

fn kiln_cosh(x: f32) -> f32 {
    let e = kiln_exp(abs(x));
    return 0.5 * e + 0.5 / e;
}

fn kiln_tanh(x: f32) -> f32 {
    let e = kiln_exp(2.0 * abs(x));
    return kiln_with_sign(1.0 - 2.0 / (1.0 + e), x);
}

fn kiln_log2(x: f32) -> f32 {
    return log2(clamp(x, 1.17549435e-38, 3.4028234e38));
}

fn kiln_log(x: f32) -> f32 {
    return kiln_log2(x) * 0.6931472;
}

fn kiln_log10(x: f32) -> f32 {
    return kiln_log2(x) * 0.30103;
}

fn kiln_logb(x: f32) -> f32 {
    let size = clamp(abs(x), 1.17549435e-38, 3.4028234e38);
    return f32(bitcast<u32>(size) >> 23u) - 127.0;
}

fn kiln_sqrt(x: f32) -> f32 {
    if (x >= 0.0) {
        return sqrt(x);
    }
    return 0.0;
}

fn kiln_inversesqrt(x: f32) -> f32 {
    if (x > 0.0) {
        return 1.0 / sqrt(x);
    }
    return 0.0;
}

fn kiln_cbrt(x: f32) -> f32 {
    if (x == 0.0) {
        return x;
    }
    let size = abs(x);
    var root = bitcast<f32>(0x2a5137a0u + bitcast<u32>(size) / 3u);
    root = (2.0 * root + size / (root * root)) / 3.0;
    root = (2.0 * root + size / (root * root)) / 3.0;
    return kiln_with_sign(root, x);
}

fn kiln_sign(x: f32) -> f32 {
    if (x < 0.0) {
        return -1.0;
    }
    return select(1.0, 0.0, x == 0.0);
}

fn kiln_round(x: f32) -> f32 {
    let whole = trunc(x);
    return whole + select(0.0, kiln_with_sign(1.0, x), abs(x - whole) >= 0.5);
}

fn kiln_erf(x: f32) -> f32 {
    let a = abs(x);
    let sum = (((((0.0000430638 * a + 0.0002765672) * a + 0.0001520143) * a + 0.009270527) * a + 0.04228201) * a + 0.07052308) * a + 1.0;
    let p2 = sum * sum;
    let p4 = p2 * p2;
    let p8 = p4 * p4;
    return kiln_with_sign(1.0 - 1.0 / (p8 * p8), x);
}

fn kiln_erfc(x: f32) -> f32 {
    return 1.0 - kiln_erf(x);
}

fn kiln_fmod(a: f32, b: f32) -> f32 {
    if (b == 0.0) {
        return 0.0;
    }
    return a - trunc(a / b) * b;
}

fn kiln_pow(x: f32, y: f32) -> f32 {
    if (y == 0.0) {
        return 1.0;
    }
    if (x == 0.0 || (x < 0.0 && y != floor(y))) {
        return 0.0;
    }
    if (y == 1.0) {
        return x;
    }
    if (y == 2.0) {
        return min(x * x, 3.4028234e38);
    }
    let size = kiln_exp2(y * kiln_log2(abs(x)));
    return select(size, -size, x < 0.0 && kiln_fmod(y, 2.0) != 0.0);
}

fn kiln_length(a: vec3f) -> f32 {
    return sqrt(dot(a, a));
}

fn kiln_normalize(a: vec3f) -> vec3f {
    let size = kiln_length(a);
    if (size == 0.0) {
        return vec3f(0.0);
    }
    return a * (1.0 / size);
}

fn kiln_triple_get(a: vec3f, i: i32) -> f32 {
    if (i <= 0) {
        return a.x;
    }
    return select(a.z, a.y, i == 1);
}

fn kiln_triple_set(a: vec3f, i: i32, x: f32) -> vec3f {
    if (i <= 0) {
        return vec3f(x, a.y, a.z);
    }
    if (i == 1) {
        return vec3f(a.x, x, a.z);
    }
    return vec3f(a.x, a.y, x);
}

fn kiln_truth_m(m: mat4x4f) -> i32 {
    let some = any(m[0] != vec4f(0.0)) || any(m[1] != vec4f(0.0)) || any(m[2] != vec4f(0.0)) || any(m[3] != vec4f(0.0));
    return select(0, 1, some);
}

fn kiln_equal_m(a: mat4x4f, b: mat4x4f) -> bool {
    return all(a[0] == b[0]) && all(a[1] == b[1]) && all(a[2] == b[2]) && all(a[3] == b[3]);
}

fn kiln_matrix_get(m: mat4x4f, i: i32, j: i32) -> f32 {
    var copy = m;
    return copy[clamp(i, 0, 3)][clamp(j, 0, 3)];
}

fn kiln_matrix_set(m: mat4x4f, i: i32, j: i32, x: f32) -> mat4x4f {
    var copy = m;
    copy[clamp(i, 0, 3)][clamp(j, 0, 3)] = x;
    return copy;
}

struct KilnInverse {
    found: bool,
    matrix: mat4x4f,
}

fn kiln_inverse(m: mat4x4f) -> KilnInverse {
    let s0 = m[0].x * m[1].y - m[0].y * m[1].x;
    let s1 = m[0].x * m[1].z - m[0].z * m[1].x;
    let s2 = m[0].x * m[1].w - m[0].w * m[1].x;
    let s3 = m[0].y * m[1].z - m[0].z * m[1].y;
    let s4 = m[0].y * m[1].w - m[0].w * m[1].y;
    let s5 = m[0].z * m[1].w - m[0].w * m[1].z;
    let c0 = m[2].x * m[3].y - m[2].y * m[3].x;
    let c1 = m[2].x * m[3].z - m[2].z * m[3].x;
    let c2 = m[2].x * m[3].w - m[2].w * m[3].x;
    let c3 = m[2].y * m[3].z - m[2].z * m[3].y;
    let c4 = m[2].y * m[3].w - m[2].w * m[3].y;
    let c5 = m[2].z * m[3].w - m[2].w * m[3].z;
    let determinant = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
    if (determinant == 0.0) {
        return KilnInverse(false, mat4x4f());
    }
    let scale = 1.0 / determinant;
    let adjugate = mat4x4f(
        vec4f(m[1].y * c5 - m[1].z * c4 + m[1].w * c3, -m[0].y * c5 + m[0].z * c4 - m[0].w * c3,
            m[3].y * s5 - m[3].z * s4 + m[3].w * s3, -m[2].y * s5 + m[2].z * s4 - m[2].w * s3),
        vec4f(-m[1].x * c5 + m[1].z * c2 - m[1].w * c1, m[0].x * c5 - m[0].z * c2 + m[0].w * c1,
            -m[3].x * s5 + m[3].z * s2 - m[3].w * s1, m[2].x * s5 - m[2].z * s2 + m[2].w * s1),
        vec4f(m[1].x * c4 - m[1].y * c2 + m[1].w * c0, -m[0].x * c4 + m[0].y * c2 - m[0].w * c0,
            m[3].x * s4 - m[3].y * s2 + m[3].w * s0, -m[2].x * s4 + m[2].y * s2 - m[2].w * s0),
        vec4f(-m[1].x * c3 + m[1].y * c1 - m[1].z * c0, m[0].x * c3 - m[0].y * c1 + m[0].z * c0,
            -m[3].x * s3 + m[3].y * s1 - m[3].z * s0, m[2].x * s3 - m[2].y * s1 + m[2].z * s0));
    return KilnInverse(true, adjugate * scale);
}

fn kiln_determinant(m: mat4x4f) -> f32 {
    return determinant(m);
}

fn kiln_matrix_div(a: mat4x4f, b: mat4x4f) -> mat4x4f {
    let inverse = kiln_inverse(b);
    if (inverse.found) {
        return inverse.matrix * a;
    }
    return a;
}

fn kiln_transform_point(m: mat4x4f, p: vec3f) -> vec3f {
    let moved = m * vec4f(p, 1.0);
    if (moved.w == 0.0) {
        return vec3f(0.0);
    }
    return moved.xyz / moved.w;
}

fn kiln_transform_vector(m: mat4x4f, p: vec3f) -> vec3f {
    return m[0].xyz * p.x + m[1].xyz * p.y + m[2].xyz * p.z;
}

fn kiln_transform_normal(m: mat4x4f, n: vec3f) -> vec3f {
    let inverse = kiln_inverse(m);
    if (inverse.found) {
        return kiln_transform_vector(transpose(inverse.matrix), n);
    }
    return n;
}
