//! Uniformity analysis: shaders classified as uniform give the same result everywhere, and exactly these are cached
//! in a render.

use std::sync::Arc;

use language_support::generate::{self, TestHost};
use language_support::shipped;
use shading::interp::Listing;
use shading::{
    ClosureRegistry, InstanceOptions, KnownAttributes, ShaderInstance, ShadingContext, ShadingSystem, Source,
};

fn system() -> ShadingSystem {
    shipped::system(Arc::new(TestHost))
}

fn instance(system: &ShadingSystem, name: &str) -> Arc<ShaderInstance> {
    let template = system.template(name).unwrap_or_else(|| panic!("no {name}"));
    system
        .instantiate(template, &InstanceOptions::default())
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Runs at points that share only normal and tangent, and asserts that the closures are equal.
fn assert_same_everywhere(
    what: &str,
    instance: &ShaderInstance,
    context: &mut ShadingContext,
    registry: &ClosureRegistry,
) {
    let mut first = None;
    for seed in 0..20 {
        let mut globals = generate::globals(seed);
        globals.n = [0.1, 0.2, 0.3].into();
        globals.dpdu = [0.4, 0.5, 0.6].into();
        instance.run(&globals, context).unwrap();
        assert_eq!(context.take_printed(), "", "{what}");
        let outputs = 0..instance.outputs().len();
        let closures: Vec<Listing> = outputs
            .map(|i| Listing::of(instance.closure(i, context).unwrap(), registry))
            .collect();
        let first = first.get_or_insert_with(|| closures.clone());
        let same = first.iter().zip(&closures).all(|(a, b)| a.same(b));
        assert!(same, "{what} at point {seed}: {first:?} and {closures:?}");
    }
}

#[test]
fn units_without_varying_computation_are_uniform() {
    let cases = [
        ("Ci = 0.5 * diffuse(N);", true),
        (
            "normal n = N; Ci = diffuse(n) + 0.1 * microfacet(\"ggx\", n, 0.2, 1.5, 0);",
            true,
        ),
        ("for (int i = 0; i < 3; i++) Ci += i * diffuse(N);", true),
        ("Ci = noise(\"perlin\", point(1, 2, 3)) * emission();", true),
        ("Ci = diffuse(-N);", false),
        ("Ci = diffuse(normalize(N));", false),
        ("normal n = N; if (u > 0.5) n = Ng; Ci = diffuse(n);", false),
        ("Ci = N[0] * diffuse(N);", false),
        ("Ci = ward(N, dPdu, 0.1, 0.2);", true),
        ("Ci = ward(N, dPdv, 0.1, 0.2);", false),
        ("Ci = ward(N, vector(N), 0.1, 0.2);", false),
        ("Ci = diffuse(normal(dPdu));", false),
        ("Ci = u * diffuse(N);", false),
        ("Ci = (backfacing() ? 1.0 : 0.5) * diffuse(N);", false),
        ("Ci = raytype(\"camera\") * emission();", false),
        ("Ci = diffuse(N); printf(\"here\\n\");", false),
        ("color c = 0; getattribute(\"Cs\", c); Ci = c * diffuse(N);", false),
        ("Ci = color(texture(\"a.exr\", 0, 0)) * diffuse(N);", false),
        ("Ci = transform(\"object\", point(1, 0, 0))[0] * diffuse(N);", false),
    ];
    for (code, expected) in cases {
        let system = system();
        let source = format!("surface subject() {{ {code} }}");
        system
            .load(Source::new("subject.ksl", &source))
            .unwrap_or_else(|e| panic!("{e}"));
        let instance = instance(&system, "subject");
        assert_eq!(instance.statistics().is_uniform, expected, "{code}");
        if expected {
            assert_same_everywhere(code, &instance, &mut system.context(), system.closures());
        }
    }
}

/// Queries of geometry attributes are resolved when an instance is linked, if the attributes are known: the untaken
/// branch is removed.
#[test]
fn attributes_are_resolved_at_link_time() {
    let known = |lists: &[&[&str]]| {
        let names = lists.iter().map(|list| list.iter().map(|&name| name.to_owned()).collect());
        KnownAttributes::of(names).map(Arc::new)
    };
    let cases = [
        (known(&[]), false),
        (known(&[&["wear"]]), false),
        (known(&[&["wear"], &[]]), false),
        (known(&[&["uv"], &[]]), true),
    ];
    let asks = "if (exists(\"wear\")) Ci = u * diffuse(N); else Ci = 0.5 * diffuse(N);";
    let listed = "Ci = tint * diffuse(N);";
    for (attributes, expected) in cases {
        for (params, code) in [("", asks), ("float tint = 1 [[ string primvar = \"wear\" ]]", listed)] {
            let system = system();
            let source = format!("surface subject({params}) {{ {code} }}");
            system
                .load(Source::new("subject.ksl", &source))
                .unwrap_or_else(|e| panic!("{e}"));
            let options = InstanceOptions { attributes: attributes.clone(), ..InstanceOptions::default() };
            let template = system.template("subject").unwrap();
            let instance = system.instantiate(template, &options).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(instance.statistics().is_uniform, expected, "{attributes:?} {code}");
        }
    }
}

#[test]
fn shipped_units_that_are_uniform_make_the_same_everywhere() {
    let system = system();
    let uniform: Vec<&str> = shipped::names()
        .into_iter()
        .filter(|name| {
            let instance = instance(&system, name);
            let uniform = instance.statistics().is_uniform;
            if uniform {
                assert_same_everywhere(name, &instance, &mut system.context(), system.closures());
            }
            uniform
        })
        .collect();
    assert!(uniform.contains(&"matte") && uniform.contains(&"glass"), "{uniform:?}");
    assert!(!uniform.contains(&"checker"), "{uniform:?}");
}
