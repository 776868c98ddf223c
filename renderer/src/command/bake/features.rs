//! Features of surfaces that a bake is asked for, and their images.

use std::path::Path;

use shading::Diagnostic;

use super::super::common::failure;
use super::Failure;
use crate::cli::BakeArgs;
use renderer_bake::{Feature, FeatureDesc, FeatureMap, Lightmap};
use renderer_image::{Image, SampleType, WriteOptions, encode};
use renderer_passes::Pass;
use renderer_transport::scene::build::Built;

/// A feature that is asked for.
pub(super) enum Asked {
    /// What a material is.
    Known(Feature),
    /// What a shader computes.
    Computed(Pass),
}

/// Features by their names.
const NAMES: [(&str, Feature); 7] = [
    ("albedo", Feature::Albedo),
    ("N", Feature::Normal),
    ("tangent_normal", Feature::TangentNormal),
    ("roughness", Feature::Roughness),
    ("opacity", Feature::Opacity),
    ("emission", Feature::Emission),
    ("position", Feature::Position),
];

/// The features of `--aov`, with their names.
pub(super) fn asked(args: &BakeArgs) -> Result<Vec<(String, Asked)>, Failure> {
    let mut list: Vec<(String, Asked)> = vec![];
    for name in args.aov.iter().flat_map(|text| text.split(',')).map(str::trim) {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let (file, feature) = match (known, name.split_once(':')) {
            (Some((name, feature)), _) => ((*name).to_owned(), Asked::Known(feature.clone())),
            (None, Some(("shader", output))) => (
                output.to_owned(),
                Asked::Computed(Pass::Shader(output.to_owned())),
            ),
            (None, Some(("attribute", own))) => {
                (own.to_owned(), Asked::Computed(Pass::Attribute(own.to_owned())))
            }
            (None, _) => return Err(unknown(name)),
        };
        let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if file.is_empty() || !file.chars().all(is_valid) {
            return Err(unknown(name));
        }
        if list.iter().all(|(taken, _)| *taken != file) {
            list.push((file, feature));
        }
    }
    Ok(list)
}

fn unknown(name: &str) -> Failure {
    let names = NAMES.map(|(name, _)| name);
    let diagnostic = Diagnostic::error(format!("--aov {name}: there is no such feature of surfaces"))
        .nearest(name, names)
        .hint(format!(
            "they are {}, shader:OUTPUT and attribute:NAME",
            names.join(", ")
        ));
    failure(diagnostic.into())
}

/// What shaders compute of these.
pub(super) fn computed(asked: &[(String, Asked)]) -> Vec<Pass> {
    let pass = |(_, asked): &(String, Asked)| match asked {
        Asked::Computed(pass) => Some(pass.clone()),
        Asked::Known(_) => None,
    };
    asked.iter().filter_map(pass).collect()
}

/// The features of a built scene.
pub(super) fn described(asked: Vec<(String, Asked)>, built: &Built) -> Vec<FeatureDesc> {
    let mut shaders = built.pass_shaders.iter().cloned();
    let feature = |asked| match asked {
        Asked::Known(feature) => feature,
        Asked::Computed(_) => Feature::Shader(shaders.next().unwrap_or_default()),
    };
    let mut feature = feature;
    let desc = |(name, asked)| FeatureDesc {
        name,
        feature: feature(asked),
    };
    asked.into_iter().map(desc).collect()
}

/// The file of a feature.
pub(super) fn file(name: &str) -> String {
    format!("surface_{name}.exr")
}

/// Names and bytes of the images of features.
pub(super) fn files(map: &Lightmap) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    map.features.iter().map(|feature| image(map, feature)).collect()
}

fn image(map: &Lightmap, feature: &FeatureMap) -> Result<(String, Vec<u8>), Failure> {
    let name = file(&feature.name);
    let mut image = Image::new(map.width as usize, map.height as usize, 3);
    for (pixel, value) in image.data.chunks_exact_mut(3).zip(&feature.values) {
        pixel.copy_from_slice(&value.to_array());
    }
    let options = WriteOptions {
        samples: SampleType::F32,
        ..WriteOptions::default()
    };
    let bytes = encode(Path::new(&name), &image, &options)?;
    Ok((name, bytes))
}
