//! Parameters of the closures of surfaces.

use std::sync::Arc;

use language_support::shipped;
use shading::hir::Const;
use shading::interp::{Listing, Param};
use shading::{InstanceOptions, NoHost, Source};

/// F0 and F90 of a `usd_preview_surface`.
fn reflectances(args: &str) -> [[f32; 3]; 2] {
    let system = shipped::system(Arc::new(NoHost));
    let text = format!(
        "group g(output closure color surface) {{ usd_preview_surface s({args}); surface = s.surface; }}"
    );
    let loaded = system.load(Source::new("test.ksl", text));
    let template = loaded
        .unwrap_or_else(|errors| panic!("{errors}"))
        .templates
        .remove(0);
    let instance = system.instantiate(template, &InstanceOptions::default()).unwrap();
    let mut context = system.context();
    instance.run(&super::point(), &mut context).unwrap();
    let listing = Listing::of(instance.closure(0, &context).unwrap(), system.closures());
    let schlick = listing
        .lists
        .iter()
        .flatten()
        .find(|component| system.closures()[component.id].name == "generalized_schlick_bsdf")
        .expect("it reflects");
    [6, 7].map(|index| match schlick.params[index] {
        Param::Value(Const::Triple(color)) => color,
        _ => panic!("no colour"),
    })
}

#[test]
fn edges_of_usd_metals_have_the_color_of_their_faces() {
    let (gold, white) = ([1.0, 0.5, 0.25], [1.0; 3]);
    assert_eq!(
        reflectances("diffuseColor = (1, 0.5, 0.25), metallic = 1"),
        [gold, gold]
    );
    assert_eq!(reflectances("diffuseColor = (1, 0.5, 0.25), ior = 3")[1], white);
    assert_eq!(
        reflectances("diffuseColor = (1, 0.5, 0.25), metallic = 0.5")[1],
        [1.0, 0.75, 0.625]
    );
    let specular =
        "diffuseColor = (1, 0.5, 0.25), useSpecularWorkflow = 1, specularColor = 0.5, metallic = 1";
    assert_eq!(reflectances(specular), [[0.5; 3], white]);
}
