//! Lights by name: for separate bakes (`--lights`) and for shadows.

use rustc_hash::FxHashMap;
use shading::{Diagnostic, Diagnostics};

use renderer_scene::{EmissionSides, LightDesc, LightKind, MaterialId, SceneDesc, ShapeDesc, names_shape};
use renderer_transport::light::{Light, LightId};
use renderer_transport::scene::LightName;
use renderer_transport::scene::build::Built;

/// The scene with the light of these names only: of lights, shapes, imports and groups of lights, with `*` and `?`; of
/// a sky NAME also `NAME.sun` and `NAME.sky`.
///
/// # Errors
/// One for each name that nothing has.
pub(super) fn only(desc: &SceneDesc, names: &[String]) -> Result<SceneDesc, Diagnostics> {
    let names: Vec<&str> = names.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
    let errors: Vec<Diagnostic> = (names.iter())
        .filter(|name| !is_known(desc, name))
        .map(|name| unknown(desc, name))
        .collect();
    if !errors.is_empty() {
        return Err(Diagnostics { list: errors });
    }
    let mut lit = desc.clone();
    lit.lights = desc.lights.iter().filter_map(|light| part(light, &names)).collect();
    let mut dark: FxHashMap<MaterialId, MaterialId> = FxHashMap::default();
    for shape in &mut lit.shapes {
        if !names.iter().any(|name| shines(desc, shape, name)) {
            shape.material = *dark.entry(shape.material).or_insert_with(|| {
                let mut material = desc.material(shape.material).clone();
                material.emission = EmissionSides::Neither;
                lit.materials.push(material);
                MaterialId(lit.materials.len() as u32 - 1)
            });
        }
    }
    Ok(lit)
}

/// Returns whether a name is that of a shape, or of the group of its light.
fn shines(desc: &SceneDesc, shape: &ShapeDesc, name: &str) -> bool {
    let group = desc.material(shape.material).group.as_deref();
    names_shape(name, &shape.name) || group.is_some_and(|group| names_shape(name, group))
}

/// The part of a light that has one of the names; `None` if it has none.
fn part(light: &LightDesc, names: &[&str]) -> Option<LightDesc> {
    let group = light.group.as_deref();
    let is_named = |own: &str| names.iter().any(|name| names_shape(name, own));
    if is_named(&light.name) || group.is_some_and(is_named) {
        return Some(light.clone());
    }
    let mut part = light.clone();
    let LightKind::Sky { sky_scale, sun_scale, .. } = &mut part.kind else {
        return None;
    };
    let [sun, sky] = parts(light).map(|own| names.contains(&own.as_str()));
    (*sun_scale, *sky_scale) = match (sun, sky) {
        (false, false) => return None,
        (sun, sky) => (if sun { *sun_scale } else { 0.0 }, if sky { *sky_scale } else { 0.0 }),
    };
    Some(part)
}

/// The names of the sun and of the rest of a sky.
fn parts(light: &LightDesc) -> [String; 2] {
    ["sun", "sky"].map(|part| format!("{}.{part}", light.name))
}

fn is_known(desc: &SceneDesc, name: &str) -> bool {
    desc.lights.iter().any(|light| part(light, &[name]).is_some())
        || desc.shapes.iter().any(|shape| shines(desc, shape, name))
}

fn unknown(desc: &SceneDesc, name: &str) -> Diagnostic {
    let mut known: Vec<String> = vec![];
    for light in &desc.lights {
        known.push(light.name.clone());
        if let LightKind::Sky { .. } = light.kind {
            known.extend(parts(light));
        }
    }
    let groups = desc.lights.iter().filter_map(|light| light.group.clone());
    let of_materials = desc.materials.iter().filter_map(|material| material.group.clone());
    known.extend(groups.chain(of_materials).map(|group| group.to_string()));
    known.dedup();
    let shapes = desc.shapes.iter().map(|shape| shape.name.to_string());
    let nearest: Vec<String> = known.iter().cloned().chain(shapes).collect();
    let hint = match known.is_empty() {
        true => "its lights are shapes: give their names".to_owned(),
        false => format!("there are {}, and shapes", known.join(", ")),
    };
    Diagnostic::error(format!("--lights {name}: no light, shape or group of lights has this name"))
        .nearest(name, nearest.iter().map(String::as_str))
        .hint(hint)
}

/// The lights of a built scene that have a name, as in [`only`].
///
/// # Errors
/// When there is none.
pub(super) fn named(built: &Built, name: &str) -> Result<Vec<LightId>, Diagnostics> {
    let names = &built.names.lights;
    let is_sun = |index: usize| matches!(built.scene.lights()[index], Light::Directional(_));
    let is_named = |(index, light): (usize, &LightName)| {
        let group = light.group.as_deref();
        let of_sky = |part: &str, is_sun_meant: bool| {
            let sky = name.strip_suffix(part);
            sky.is_some_and(|sky| names_shape(sky, &light.name) && is_sun(index) == is_sun_meant)
        };
        let is = names_shape(name, &light.name) || group.is_some_and(|group| names_shape(name, group));
        (is || of_sky(".sun", true) || of_sky(".sky", false)).then_some(LightId(index as u32))
    };
    let found: Vec<LightId> = names.iter().enumerate().filter_map(is_named).collect();
    if found.is_empty() {
        let mut known: Vec<&str> = names.iter().map(|light| &*light.name).collect();
        known.dedup();
        let diagnostic = Diagnostic::error(format!("--aov shadow:{name}: no light has this name"))
            .nearest(name, known.iter().copied());
        let hint = match known.is_empty() {
            true => "there are no lights".to_owned(),
            false => format!("lights are {}", known.join(", ")),
        };
        return Err(diagnostic.hint(hint).into());
    }
    Ok(found)
}
