// Bob Jenkins's hash "lookup3.c" (2006) of one to five words, as in `shading_compiler::eval::noise`.

fn kiln_rotated(x: u32, bits: u32) -> u32 {
    return (x << bits) | (x >> (32u - bits));
}

fn kiln_mixed(start: vec3u) -> vec3u {
    var a = start.x;
    var b = start.y;
    var c = start.z;
    a = (a - c) ^ kiln_rotated(c, 4u);
    c = c + b;
    b = (b - a) ^ kiln_rotated(a, 6u);
    a = a + c;
    c = (c - b) ^ kiln_rotated(b, 8u);
    b = b + a;
    a = (a - c) ^ kiln_rotated(c, 16u);
    c = c + b;
    b = (b - a) ^ kiln_rotated(a, 19u);
    a = a + c;
    c = (c - b) ^ kiln_rotated(b, 4u);
    b = b + a;
    return vec3u(a, b, c);
}

fn kiln_finished(start: vec3u) -> u32 {
    var a = start.x;
    var b = start.y;
    var c = start.z;
    c = (c ^ b) - kiln_rotated(b, 14u);
    a = (a ^ c) - kiln_rotated(c, 11u);
    b = (b ^ a) - kiln_rotated(a, 25u);
    c = (c ^ b) - kiln_rotated(b, 16u);
    a = (a ^ c) - kiln_rotated(c, 4u);
    b = (b ^ a) - kiln_rotated(a, 14u);
    return (c ^ b) - kiln_rotated(b, 24u);
}

fn kiln_hash1(a: u32) -> u32 {
    return kiln_finished(vec3u(3735928576u) + vec3u(a, 0u, 0u));
}

fn kiln_hash2(a: vec2u) -> u32 {
    return kiln_finished(vec3u(3735928580u) + vec3u(a, 0u));
}

fn kiln_hash3(a: vec3u) -> u32 {
    return kiln_finished(vec3u(3735928584u) + a);
}

fn kiln_hash4(a: vec4u) -> u32 {
    return kiln_finished(kiln_mixed(vec3u(3735928588u) + a.xyz) + vec3u(a.w, 0u, 0u));
}

fn kiln_hash5(a: vec4u, b: u32) -> u32 {
    return kiln_finished(kiln_mixed(vec3u(3735928592u) + a.xyz) + vec3u(a.w, b, 0u));
}

fn kiln_unit(bits: u32) -> f32 {
    return f32(bits) * 2.3283064370807974e-10;
}

fn kiln_cell_of(x: f32) -> u32 {
    return u32(kiln_int(floor(x)));
}

fn kiln_key_of(x: f32) -> u32 {
    return select(bitcast<u32>(x), 0x7fc00000u, kiln_isnan(x) != 0);
}

fn kiln_wrap(x: f32, period: f32) -> f32 {
    let whole = max(floor(period), 1.0);
    return x - whole * floor(x / whole);
}
