//! Requested features of surfaces, and their images.

use shading::Diagnostic;

use super::feature_image::{encoded, floats};
use super::{Failure, lights, pages};
use renderer_bake::{Feature, FeatureDesc, FeatureMap, FeatureRays};
use renderer_inputs::bake_request::BakeRequest;
use renderer_passes::Pass;
use renderer_transport::scene::build::Built;

/// A requested feature.
#[derive(Clone)]
pub(super) enum RequestedFeature {
    /// A feature without settings.
    Known(Feature),
    /// Ambient occlusion.
    Occlusion,
    /// Curvature.
    Curvature,
    /// The shadow of lights with a name.
    Shadow(String),
    /// An output of a shader or an attribute.
    Computed(Pass),
}

/// Features by their names.
const NAMES: [(&str, RequestedFeature); 10] = [
    ("albedo", RequestedFeature::Known(Feature::Albedo)),
    ("N", RequestedFeature::Known(Feature::Normal)),
    ("tangent_normal", RequestedFeature::Known(Feature::TangentNormal)),
    ("roughness", RequestedFeature::Known(Feature::Roughness)),
    ("opacity", RequestedFeature::Known(Feature::Opacity)),
    ("emission", RequestedFeature::Known(Feature::Emission)),
    ("position", RequestedFeature::Known(Feature::Position)),
    ("ao", RequestedFeature::Occlusion),
    ("curvature", RequestedFeature::Curvature),
    ("height", RequestedFeature::Known(Feature::Height)),
];

/// The features of `--aov`, with their names.
pub(super) fn asked(request: &BakeRequest) -> Result<Vec<(String, RequestedFeature)>, Failure> {
    let mut list: Vec<(String, RequestedFeature)> = vec![];
    for name in request.aov.iter().flat_map(|text| text.split(',')).map(str::trim) {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let (file, feature) = match (known, name.split_once(':')) {
            (Some((name, RequestedFeature::Known(Feature::Height))), _) if request.from.is_empty() => {
                let diagnostic = Diagnostic::error(format!("--aov {name}: there is no other surface"));
                let hint = "it is the height of the shapes of --from above those of --to";
                return Err(Failure::of(diagnostic.hint(hint)));
            }
            (Some((name, asked)), _) => ((*name).to_owned(), asked.clone()),
            (None, Some(("shader", output))) => {
                (output.to_owned(), RequestedFeature::Computed(Pass::Shader(output.to_owned())))
            }
            (None, Some(("shadow", light))) => (
                format!("shadow_{}", light.replace(|c| !is_of_name(c), "_")),
                RequestedFeature::Shadow(light.to_owned()),
            ),
            (None, Some(("attribute", own))) => {
                (own.to_owned(), RequestedFeature::Computed(Pass::Attribute(own.to_owned())))
            }
            (None, _) => return Err(unknown(name)),
        };
        if file.is_empty() || !file.chars().all(is_of_name) {
            return Err(unknown(name));
        }
        if list.iter().all(|(taken, _)| *taken != file) {
            list.push((file, feature));
        }
    }
    Ok(list)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    let diagnostic = Diagnostic::error(format!("--aov {name}: there is no such feature of surfaces"))
        .nearest(name, names.iter().copied())
        .hint(format!(
            "they are {}, shadow:LIGHT, shader:OUTPUT and attribute:NAME",
            names.join(", ")
        ));
    Failure::of(diagnostic)
}

/// The passes that shaders compute.
pub(super) fn computed(asked: &[(String, RequestedFeature)]) -> Vec<Pass> {
    let pass = |(_, asked): &(String, RequestedFeature)| match asked {
        RequestedFeature::Computed(pass) => Some(pass.clone()),
        RequestedFeature::Known(_)
        | RequestedFeature::Occlusion
        | RequestedFeature::Curvature
        | RequestedFeature::Shadow(_) => None,
    };
    asked.iter().filter_map(pass).collect()
}

/// Default reach of ambient occlusion and radius of curvature, relative to the radius of the scene.
const REACHES: [f32; 2] = [0.5, 0.05];

/// The features of a built scene.
///
/// # Errors
/// When there is no light of a name.
pub(super) fn described(
    request: &BakeRequest,
    asked: Vec<(String, RequestedFeature)>,
    built: &Built,
) -> Result<Vec<FeatureDesc>, Failure> {
    let mut shaders = built.pass_shaders.iter().cloned();
    let radius = built.scene.bounds().radius();
    let rays = |samples: u32, reach: Option<f32>, default: f32| FeatureRays {
        samples,
        reach: reach.unwrap_or(default * radius),
    };
    let mut feature = |asked| {
        let feature = match asked {
            RequestedFeature::Known(feature) => feature,
            RequestedFeature::Occlusion => {
                Feature::Occlusion(rays(request.ao_samples(), request.ao_distance, REACHES[0]))
            }
            RequestedFeature::Curvature => {
                Feature::Curvature(rays(request.curvature_samples(), request.curvature_radius, REACHES[1]))
            }
            RequestedFeature::Shadow(name) => Feature::Shadow(
                lights::named(built, &name).map_err(Failure::Mistakes)?,
                rays(request.ao_samples(), None, 0.0),
            ),
            RequestedFeature::Computed(_) => Feature::Shader(shaders.next().unwrap_or_default()),
        };
        Ok::<Feature, Failure>(feature)
    };
    let desc = |(name, asked)| Ok(FeatureDesc { name, feature: feature(asked)? });
    asked.into_iter().map(desc).collect()
}

/// Beginning of the names of all files of features.
const PREFIX: &str = "surface_";

/// The file of a feature in floats.
pub(super) fn file(name: &str) -> String {
    format!("{PREFIX}{name}.exr")
}

/// The file of a feature in 8 bits.
fn encoded_file(name: &str) -> String {
    format!("{PREFIX}{name}.png")
}

/// Returns whether a file has the name of a feature image.
pub(super) fn is_file(name: &str) -> bool {
    let own = name.strip_prefix(PREFIX);
    let own = own.and_then(|own| own.strip_suffix(".exr").or_else(|| own.strip_suffix(".png")));
    own.is_some_and(|own| !own.is_empty() && own.chars().all(is_of_name))
}

/// Returns whether a character is valid in a feature's file name.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The names of all files.
pub(super) fn names(asked: &[(String, RequestedFeature)]) -> Vec<String> {
    let of = |(name, asked): &(String, RequestedFeature)| {
        let has_range = match asked {
            RequestedFeature::Known(feature) => super::feature_image::Encoding::of(feature).is_some(),
            RequestedFeature::Occlusion | RequestedFeature::Curvature | RequestedFeature::Shadow(_) => true,
            RequestedFeature::Computed(_) => false,
        };
        [Some(file(name)), has_range.then(|| encoded_file(name))]
    };
    asked.iter().flat_map(of).flatten().collect()
}

/// Names and bytes of the images of features.
pub(super) fn files(
    size: (u32, u32),
    maps: &[FeatureMap],
    features: &[FeatureDesc],
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = vec![];
    for (map, desc) in maps.iter().zip(features) {
        files.push((file(&map.name), floats(size, map)?));
        if let Some(bytes) = encoded(size, map, &desc.feature)? {
            files.push((encoded_file(&map.name), bytes));
        }
    }
    Ok(files)
}

/// Names and bytes of the images of features of a lightmap of several pages, each of this size.
pub(super) fn files_of_pages(
    size: (u32, u32),
    pages: u32,
    maps: &[FeatureMap],
    features: &[FeatureDesc],
) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let texels = size.0 as usize * size.1 as usize;
    let mut all = vec![];
    for page in 0..pages {
        let first = page as usize * texels;
        let on_page = |map: &FeatureMap| FeatureMap {
            name: map.name.clone(),
            values: map.values[first..first + texels].to_vec(),
        };
        let maps: Vec<FeatureMap> = maps.iter().map(on_page).collect();
        let files = files(size, &maps, features)?.into_iter();
        all.extend(files.map(|(name, bytes)| (pages::file(&name, page, pages), bytes)));
    }
    Ok(all)
}
