//! Precedence of the sources of an input: connections, geometry attributes, constants, defaults.

use std::sync::Arc;

use shading::hir::Const;
use shading::{ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShaderHost, ShadingSystem, Source};

/// The output `r` of the last group of a source, at a point with `u` = 0.25.
fn result_with(host: impl ShaderHost, text: &str) -> Const {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(host));
    let loaded = system.load(Source::new("test.ksl", text));
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    let template = loaded.templates.last().expect("there is one").clone();
    let instance = system.instantiate(template, &InstanceOptions::default());
    let instance = instance.unwrap_or_else(|errors| panic!("{errors}"));
    let mut context = system.context();
    let globals = ShaderGlobals { u: 0.25, ..ShaderGlobals::default() };
    instance.run(&globals, &mut context).unwrap();
    instance.output(0, &context).unwrap()
}

/// A host with the attribute `wear` at all points.
struct Worn;

impl ShaderHost for Worn {
    fn attribute(&self, _: &ShaderGlobals, _: &str, name: &str) -> Option<[f32; 4]> {
        (name == "wear").then_some([8.0; 4])
    }
}

/// A connection precedes an attribute of the geometry, which precedes a given constant, which precedes the default,
/// however the parameter requests the attribute.
#[test]
fn precedence_of_attributes_is_the_same_for_all() {
    for ask in [
        "float wear = 1 [[ int interpolated = 1 ]]",
        "float wear = 1 [[ int lockgeom = 0 ]]",
        "float wear = 1 [[ string primvar = \"tear, wear\" ]]",
    ] {
        let of = |args: &str| {
            format!(
                "shader f({ask}, output float r = 0) {{ r = wear; }} shader four(output float r = 4) {{ r += u; }}
                group g(float x = 3, output float r = 0) {{ four o(); f a({args}); r = a.r; }}"
            )
        };
        for (args, without, with) in [
            ("", 1.0, 8.0),
            ("wear = 2", 2.0, 8.0),
            ("wear = x", 3.0, 8.0),
            ("wear = o.r", 4.25, 4.25),
            ("wear = u", 0.25, 0.25),
        ] {
            let plain = result_with(NoHost, &of(args));
            let worn = result_with(Worn, &of(args));
            assert_eq!((plain, worn), (Const::Float(without), Const::Float(with)), "{ask} {args}");
        }
    }
}
