//! Each pass computes only what it needs; live parameters are uniforms; unsupported constructs are reported with their
//! location.

use language_support::wgsl::{Program, Value};
use shading::hir::{Const, Unit};
use shading::opt::OptLevel;
use shading::{InstanceOptions, SourceMap, Template, Value as Given};
use shading_raster::{Pass, RasterOptions};

use crate::point::{SmoothHost, linked, point, system, template, texel};

/// A surface with a pattern for each lobe, behind a mask.
const SURFACE: &str = r#"
surface rich(float amount = 0.5, color tint = color(0.2, 0.4, 0.6), output closure color result = 0)
{
    color albedo = tint * noise("perlin", P * 3);
    float rough = texture("rough.png", u, v);
    color glow = noise("simplex", P * 5);
    color cloth = noise("cell", P);
    float holes = noise("hash", floor(u * 4));
    closure color body = layer(generalized_schlick_bsdf(N, dPdu, color(1), color(0), rough, rough, color(0.04), color(1), 5.0, "ggx"),
        albedo * diffuse(N));
    closure color whole = layer(sheen_bsdf(N, cloth, 0.5), body) + glow * emission();
    result = amount * holes * whole + (1 - amount * holes) * transparent();
}
"#;

fn program(unit: &Unit, sources: &SourceMap, options: &RasterOptions) -> Program {
    let program = Program::new(unit, sources, system().closures(), options);
    program.unwrap_or_else(|errors| panic!("{errors}"))
}

fn call(program: &Program, function: &str, at: u64) -> Vec<(String, Value)> {
    program.call(function, &point(at), &SmoothHost, &|_, at, _, _| texel(at))
}

fn member(members: &[(String, Value)], name: &str) -> Vec<f32> {
    let found = members.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no member {name}")).1.numbers()
}

#[test]
fn passes_compute_what_they_need_alone() {
    let system = system();
    let template = template(&system, SURFACE);
    let (unit, sources) = linked(&system, &template, &[]);
    let programs = [Pass::Shadow, Pass::Gbuffer, Pass::Forward].map(|pass| {
        let options = RasterOptions { pass, ..RasterOptions::default() };
        program(&unit, &sources, &options)
    });
    let lines = programs.each_ref().map(|program| program.raster.wgsl.lines().count());
    assert!(lines[0] * 2 < lines[1] && lines[1] < lines[2], "{lines:?}");
    let has = |word: &str| programs.each_ref().map(|program| program.raster.wgsl.contains(word));
    assert_eq!(has("kiln_bits1("), [true; 3], "the mask");
    assert_eq!(has("kiln_perlin3"), [false, true, true], "the colour");
    assert_eq!(has("textureSampleGrad"), [false, true, true], "the roughness");
    assert_eq!(has("kiln_simplex3"), [false, true, true], "emission");
    assert_eq!(has("kiln_cell3v"), [false, false, true], "sheen");
    assert_eq!(programs.each_ref().map(|program| program.raster.textures.len()), [0, 1, 1]);
    // The passes have equal masks.
    for i in 0..8 {
        let opacities = programs
            .each_ref()
            .map(|program| member(&call(program, "surface", i), "opacity")[0]);
        assert!(opacities.iter().all(|o| (o - opacities[0]).abs() < 1e-6), "{opacities:?}");
    }
}

/// Checks members of `surface` for an expression of a closure, at a point seen at an angle of 21.9° to the normal.
fn check_lobes(closure: &str, pass: Pass, expected: &[(&str, &[f32])]) {
    let system = system();
    let template = template(
        &system,
        &format!("surface s(output closure color result = 0) {{ result = {closure}; }}"),
    );
    let (unit, sources) = linked(&system, &template, &[]);
    let options = RasterOptions { pass, ..RasterOptions::default() };
    let found = call(&program(&unit, &sources, &options), "surface", 0);
    for (name, expected) in expected {
        let found = member(&found, name);
        let is_like = found.iter().zip(*expected).all(|(a, b)| (a - b).abs() < 2e-3);
        assert!(
            is_like && found.len() == expected.len(),
            "{closure}: {name} is {found:?}, not {expected:?}"
        );
    }
}

#[test]
fn closures_become_lobes() {
    let forward = |closure: &str, expected: &[(&str, &[f32])]| check_lobes(closure, Pass::Forward, expected);
    forward(
        "color(0.2, 0.4, 0.6) * diffuse(N)",
        &[("diffuse", &[0.2, 0.4, 0.6]), ("normal", &[0.0, 0.6, 0.8])],
    );
    forward(
        "0.5 * diffuse(N) + 0.25 * translucent(N)",
        &[("diffuse", &[0.5; 3]), ("translucent", &[0.25; 3])],
    );
    forward(
        "3 * emission() + 0.5 * transparent()",
        &[("emission", &[3.0; 3]), ("opacity", &[0.5])],
    );
    forward("oren_nayar(N, 0.9)", &[("diffuse", &[0.6792; 3])]);
    forward(
        "oren_nayar_diffuse_bsdf(N, color(0.5), 0.9, \"energy_compensation\", 1)",
        &[("diffuse", &[0.5; 3])],
    );
    // A lobe that occurs twice has the mean roughness.
    forward(
        "microfacet(\"ggx\", N, 0.2, 0.0, 0) + microfacet(\"ggx\", N, 0.4, 0.0, 0)",
        &[("specular_f0", &[2.0; 3]), ("specular_alpha", &[0.3, 0.3])],
    );
    forward(
        "reflection(N, 1.5)",
        &[("specular_f0", &[0.04; 3]), ("specular_f90", &[1.0; 3])],
    );
    forward(
        "dielectric_bsdf(N, dPdu, color(1), color(0.5), 0.1, 0.1, 1.5, \"ggx\")",
        &[
            ("transmission", &[0.48; 3]),
            ("ior", &[1.5]),
            ("transmission_alpha", &[0.1]),
            ("specular_f0", &[0.04; 3]),
        ],
    );
    forward(
        "sheen_bsdf(N, color(0.3), 0.7)",
        &[("sheen", &[0.3; 3]), ("sheen_alpha", &[0.7])],
    );
    // A second reflection on top is a coat.
    forward(
        "coat(0.8 * diffuse(N), \"roughness\", 0.2)",
        &[("coat_f0", &[0.04; 3]), ("coat_alpha", &[0.2]), ("diffuse", &[0.763; 3])],
    );
    forward(
        "layer(microfacet(\"ggx\", N, 0.1, 1.5, 0), microfacet(\"ggx\", N, 0.5, 0.0, 0))",
        &[("coat_f0", &[0.04; 3]), ("coat_alpha", &[0.1]), ("specular_alpha", &[0.5, 0.5])],
    );
    let gbuffer = |closure: &str, expected: &[(&str, &[f32])]| check_lobes(closure, Pass::Gbuffer, expected);
    gbuffer(
        "microfacet(\"ggx\", N, 0.25, 0.0, 0) * color(0.9, 0.6, 0.3)",
        &[("albedo", &[0.9, 0.6, 0.3]), ("metalness", &[1.0]), ("roughness", &[0.5])],
    );
    gbuffer(
        "0.5 * diffuse(N) + 0.5 * transparent()",
        &[("metalness", &[0.0]), ("opacity", &[0.5])],
    );
    // A coat counts with what is under it.
    gbuffer(
        "coat(0.8 * diffuse(N), \"roughness\", 0.25)",
        &[("albedo", &[0.795; 3]), ("metalness", &[0.0]), ("roughness", &[0.5])],
    );
    check_lobes("diffuse(N)", Pass::Shadow, &[("opacity", &[1.0])]);
}

/// A template whose parameters are live.
fn live(template: &Template, parameters: &[(&str, Const)]) -> Program {
    let system = system();
    let params = template.params().expect("its parameters are known");
    let ty = |name: &str| params.iter().find(|param| param.name == name).expect("it is a parameter").ty;
    let given = parameters.iter().map(|(name, _)| {
        let name = (*name).to_owned();
        (name.clone(), Given::Uniform(name.clone(), ty(&name)))
    });
    let options = InstanceOptions {
        inputs: given.collect(),
        optimize: OptLevel::None,
        ..InstanceOptions::default()
    };
    let (unit, sources, _) = system.optimized(template, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let options = RasterOptions {
        live: parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        ..RasterOptions::default()
    };
    program(&unit, &sources, &options)
}

#[test]
fn live_parameters_are_uniforms() {
    let source = "shader s(int count = 3, float size = 2, color tint = color(1, 2, 3), matrix m = 1, float list[2] = {1, 2},
        output color result = 0, output float sum = 0)
    {
        result = tint * size + color(transform(m, point(1, 1, 1)));
        for (int i = 0; i < count; ++i) sum += list[i % 2] + i;
        sum += Dx(size);
    }";
    let template = template(&system(), source);
    let values = |size: f32| {
        [
            ("count", Const::Int(4)),
            ("size", Const::Float(size)),
            ("tint", Const::Triple([0.5, 1.0, 2.0])),
            ("m", Const::Matrix(shading::eval::matrix::diagonal(2.0))),
            ("list", Const::Array(vec![Const::Float(10.0), Const::Float(20.0)])),
        ]
    };
    let programs = [1.0, 3.0].map(|size| live(&template, &values(size)));
    // The code does not depend on the values.
    assert_eq!(programs[0].raster.wgsl, programs[1].raster.wgsl);
    let offsets: Vec<u32> = programs[0].raster.uniforms.iter().map(|uniform| uniform.offset).collect();
    assert_eq!(offsets, [0, 16, 32, 48, 112]);
    for (program, size) in programs.iter().zip([1.0, 3.0]) {
        let found = call(program, "evaluate", 0);
        assert_eq!(member(&found, "o_result"), [0.5, 1.0, 2.0].map(|x| x * size + 1.0));
        assert_eq!(member(&found, "o_sum"), [66.0]);
    }
    assert!(programs[0].raster.glsl.contains("uniform"), "{}", programs[0].raster.glsl);
}

#[test]
fn attributes_that_do_not_exist_cost_nothing() {
    let system = system();
    let source = "shader s(output float result = 0) { float worn = 0; if (getattribute(\"wear\", worn)) result = worn * noise(P); }";
    let template = template(&system, source);
    let (unit, sources) = linked(&system, &template, &[]);
    for (attributes, has) in [(vec![], false), (vec!["wear".to_owned()], true)] {
        let options = RasterOptions { attributes, ..RasterOptions::default() };
        let program = program(&unit, &sources, &options);
        assert_eq!(program.raster.wgsl.contains("kiln_perlin3"), has);
        assert_eq!(program.raster.wgsl.contains("attribute_wear: vec4f"), has);
        if has {
            let limit = crate::point::difference(&unit, &program, 8, 1e-5);
            assert!(limit.is_ok(), "{limit:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_told_with_its_place() {
    for (statements, message, word) in [
        ("result = trace(P, N);", "cannot trace rays", "trace"),
        (
            "result = strlen(format(\"%g\", u));",
            "a text that is made at run time",
            "format",
        ),
        (
            "string s = u > 0.5 ? \"a.png\" : \"b.png\"; result = texture(s, u, v);",
            "known at run time only",
            "texture",
        ),
        ("float x = 0; getmessage(\"m\", x); result = x;", "no messages", "getmessage"),
        ("result = dict_find(\"<a/>\", \"a\") + u;", "no dictionaries", "dict_find"),
        ("result = factorial(int(u * 10));", "calls itself", "factorial"),
        ("result = texture3d(\"a.vdb\", P);", "cannot look up a volume", "texture3d"),
    ] {
        let system = system();
        let source = format!(
            "int factorial(int n) {{ if (n < 2) return 1; return n * factorial(n - 1); }}\n\
             shader s(output float result = 0)\n{{\n    {statements}\n}}\n"
        );
        let template = template(&system, &source);
        let (unit, sources) = linked(&system, &template, &[]);
        let program = Program::new(&unit, &sources, system.closures(), &RasterOptions::default());
        let errors = program.err().unwrap_or_else(|| panic!("{statements} has code")).to_string();
        assert!(errors.contains(message), "{statements}: {errors}");
        assert!(errors.contains("test.ksl:4") && errors.contains(word), "{statements}: {errors}");
        assert!(errors.contains("hint") || errors.contains("="), "{statements}: {errors}");
    }
}

#[test]
fn loops_without_an_end_end() {
    let system = system();
    let source =
        "shader s(output float result = 0) { while (u < 2) result += 1; result = min(result, 7.0); }";
    let template = template(&system, source);
    let (unit, sources) = linked(&system, &template, &[]);
    let program = program(&unit, &sources, &RasterOptions::default());
    assert_eq!(member(&call(&program, "evaluate", 0), "o_result"), [7.0]);
}
