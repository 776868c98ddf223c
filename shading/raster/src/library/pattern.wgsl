// Splines, spectral colours.

struct KilnSegment {
    first: i32,
    x: f32,
}

// The segment of a spline of `count` knots at `x`, and the parameter in the segment.
fn kiln_segment(x: f32, count: i32, step: i32) -> KilnSegment {
    let segments = max(count - 4, 0) / step + 1;
    let place = select(0.0, min(x, 1.0), x >= 0.0) * f32(segments);
    let segment = min(i32(place), segments - 1);
    return KilnSegment(segment * step, place - f32(segment));
}

// The weights of the four knots of a segment by the basis matrix.
fn kiln_knots(basis: mat4x4f, x: f32) -> vec4f {
    return basis * vec4f(x * x * x, x * x, x, 1.0);
}

fn kiln_knots_slope(basis: mat4x4f, x: f32) -> vec4f {
    return basis * vec4f(3.0 * x * x, 2.0 * x, 1.0, 0.0);
}
