// Noises of three values, and with derivatives, in one number of dimensions; @D is the number of coordinates, @V their vector, @I
// the vector of integers, @U that of words, @4(x) the vector padded to four.

fn kiln_cell_key@D(p: @V) -> @U {
    return @CELL;
}

fn kiln_bits_key@D(p: @V) -> @U {
    return @BITS;
}

fn kiln_wrap@D(p: @V, period: @V) -> @V {
    return @WRAP;
}

fn kiln_period@D(period: @V) -> @I {
    return max(@I(floor(period)), @I(1));
}

fn kiln_cell@D(p: @V) -> f32 {
    return kiln_unit(kiln_hash@D(kiln_cell_key@D(p)));
}

fn kiln_cell@Dv(p: @V) -> vec3f {
    let key = kiln_cell_key@D(p);
    return vec3f(kiln_unit(@HASH(key, 0u)), kiln_unit(@HASH(key, 1u)), kiln_unit(@HASH(key, 2u)));
}

fn kiln_bits@D(p: @V) -> f32 {
    return kiln_unit(kiln_hash@D(kiln_bits_key@D(p)));
}

fn kiln_bits@Dv(p: @V) -> vec3f {
    let key = kiln_bits_key@D(p);
    return vec3f(kiln_unit(@HASH(key, 0u)), kiln_unit(@HASH(key, 1u)), kiln_unit(@HASH(key, 2u)));
}

fn kiln_perlin@Dv(p: @V, period: @I) -> vec3f {
    return vec3f(kiln_perlin@D(p, period, 0u), kiln_perlin@D(p, period, 1u), kiln_perlin@D(p, period, 2u));
}

fn kiln_simplex@D(p: @V, lane: u32) -> f32 {
    return kiln_simplex@D_slope(p, lane).value;
}

fn kiln_simplex@Dv(p: @V) -> vec3f {
    return vec3f(kiln_simplex@D(p, 0u), kiln_simplex@D(p, 1u), kiln_simplex@D(p, 2u));
}

fn kiln_dual@D(s: KilnSlope, dx: @V, dy: @V) -> vec3f {
    return vec3f(s.value, dot(s.slope, @4(dx)), dot(s.slope, @4(dy)));
}
