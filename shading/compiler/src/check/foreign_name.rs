//! Names of GLSL, HLSL and other languages with their replacements, for hints.

/// Kind of an unknown name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    Type,
    Function,
    Variable,
}

/// Names with their use and replacement.
const NAMES: [(&[&str], NameUse, &str); 30] = [
    (
        &["vec3", "float3", "half3", "double3", "vec3f", "Vector3"],
        NameUse::Type,
        "three numbers are a `color`, a `point`, a `vector` or a `normal`",
    ),
    (
        &["vec2", "float2", "half2", "vec2f", "Vector2"],
        NameUse::Type,
        "two numbers are two floats, `float[2]`, or a `vector` whose third is 0",
    ),
    (
        &["vec4", "float4", "half4", "vec4f", "Vector4", "rgba"],
        NameUse::Type,
        "four numbers are a `color` and a float, or `float[4]`",
    ),
    (
        &["mat2", "mat3", "mat4", "float3x3", "float4x4", "Matrix"],
        NameUse::Type,
        "a matrix is `matrix`, of 4 × 4 numbers",
    ),
    (
        &["sampler2D", "Texture2D", "image2D", "sampler"],
        NameUse::Type,
        "an image is a `string`, its file name: `texture(name, s, t)`",
    ),
    (
        &["uint", "long", "short", "char", "size_t"],
        NameUse::Type,
        "whole numbers are `int`",
    ),
    (&["half"], NameUse::Type, "numbers are `float`"),
    (
        &["var", "let", "auto"],
        NameUse::Type,
        "a declaration begins with a type: `float x = 1;`",
    ),
    (&["rgb", "Color", "RGB", "spectrum"], NameUse::Type, "a colour is `color`"),
    (
        &["vec3", "float3", "half3", "vec2", "float2", "Vector3"],
        NameUse::Function,
        "write `color(x, y, z)`, `point(…)`, `vector(…)` or `normal(…)`",
    ),
    (
        &["rgb", "rgba", "RGB", "vec4", "float4", "Color"],
        NameUse::Function,
        "write `color(r, g, b)`",
    ),
    (&["hsv", "HSV"], NameUse::Function, "write `color(\"hsv\", h, s, v)`"),
    (&["mat3", "mat4", "float4x4"], NameUse::Function, "write `matrix(…)`"),
    (&["saturate"], NameUse::Function, "write `clamp(x, 0, 1)`"),
    (&["fract", "frac"], NameUse::Function, "write `mod(x, 1)`"),
    (&["lerp"], NameUse::Function, "write `mix(a, b, t)`"),
    (&["dFdx", "ddx", "dfdx"], NameUse::Function, "write `Dx(value)`"),
    (&["dFdy", "ddy", "dfdy"], NameUse::Function, "write `Dy(value)`"),
    (&["fwidth"], NameUse::Function, "write `filterwidth(value)`"),
    (
        &["texture2D", "tex2D", "sample"],
        NameUse::Function,
        "write `texture(\"name\", s, t)`",
    ),
    (&["rsqrt"], NameUse::Function, "write `inversesqrt(x)`"),
    (
        &["mul"],
        NameUse::Function,
        "write `transform(m, v)` for vectors, `a * b` for matrices",
    ),
    (&["print", "println", "cout"], NameUse::Function, "write `printf(\"%g\\n\", x)`"),
    (&["PI", "M_PIf", "pi", "Pi"], NameUse::Variable, "write `M_PI`"),
    (&["TAU", "TWO_PI", "tau"], NameUse::Variable, "write `M_2PI`"),
    (
        &["Cs"],
        NameUse::Variable,
        "the colour of a surface is a parameter: `color Cs = 1`; of the geometry, `attribute(\"Cs\")`",
    ),
    (
        &["Os", "Oi"],
        NameUse::Variable,
        "opacity is a closure: `Ci = opacity * diffuse(N) + (1 - opacity) * transparent();`",
    ),
    (
        &["Cl", "Ol", "L"],
        NameUse::Variable,
        "shaders do not see lights: a surface is a closure, `Ci = diffuse(N);`",
    ),
    (
        &["uv", "st", "UV"],
        NameUse::Variable,
        "surface coordinates are two floats, `u` and `v`",
    ),
    (&["True", "TRUE", "False", "FALSE"], NameUse::Variable, "write `1` or `0`"),
];

/// Returns a hint for a name of another language.
pub(super) fn hint(name: &str, usage: NameUse) -> Option<&'static str> {
    let mut entries = NAMES.iter();
    let found = entries.find(|(names, own, _)| *own == usage && names.contains(&name));
    found.map(|(_, _, hint)| *hint)
}
