//! Parameters of the closures of surfaces.

use std::sync::Arc;

use language_support::shipped;
use shading::hir::Const;
use shading::interp::{Listing, Param};
use shading::{InstanceOptions, NoHost, Source};

/// F0 and F90 of each lobe of a `usd_preview_surface` that reflects.
fn reflectances(args: &str) -> Vec<[[f32; 3]; 2]> {
    let system = shipped::system(Arc::new(NoHost));
    let text = format!(
        "group g(output closure color surface) {{ usd_preview_surface s({args}); surface = s.surface; }}"
    );
    let loaded = system.load(Source::new("test.ksl", text));
    let template = loaded.unwrap_or_else(|errors| panic!("{errors}")).templates.remove(0);
    let instance = system.instantiate(template, &InstanceOptions::default()).unwrap();
    let mut context = system.context();
    instance.run(&super::point(), &mut context).unwrap();
    let listing = Listing::of(instance.closure(0, &context).unwrap(), system.closures());
    let lobes = listing
        .lists
        .iter()
        .flatten()
        .filter(|component| system.closures()[component.id].name == "generalized_schlick_bsdf");
    let reflectances = lobes.map(|lobe| {
        [6, 7].map(|index| match lobe.params[index] {
            Param::Value(Const::Triple(color)) => color,
            _ => panic!("no colour"),
        })
    });
    reflectances.collect()
}

#[test]
fn edges_of_usd_metals_have_the_color_of_their_faces() {
    let (gold, white) = ([1.0, 0.5, 0.25], [1.0; 3]);
    let color = "diffuseColor = (1, 0.5, 0.25)";
    assert!(reflectances(&format!("{color}, metallic = 1")).contains(&[gold, gold]));
    assert_eq!(reflectances(&format!("{color}, ior = 3")), [[[0.25; 3], white]]);
    let both = reflectances(&format!("{color}, metallic = 0.5, ior = 3"));
    assert!(both.contains(&[gold, gold]) && both.contains(&[[0.25; 3], white]), "{both:?}");
    let specular =
        "diffuseColor = (1, 0.5, 0.25), useSpecularWorkflow = 1, specularColor = 0.5, metallic = 1";
    assert_eq!(reflectances(specular), [[[0.5; 3], white]]);
}
