//! Features of surfaces at the texels of a texture.

use glam::Vec3;

use super::feature::{Feature, FeatureDesc};
use super::lightmap_buffer::LightmapBuffer;
use super::raster::Texel;
use renderer_base::color::Rgb;
use renderer_base::math::Frame;
use renderer_geometry::{Footprint, Interaction};
use renderer_transport::integrator::Context;
use renderer_transport::material::{HitRay, RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// A feature of all texels.
#[derive(Clone, Debug)]
pub struct FeatureMap {
    /// The name of its file.
    pub name: String,
    /// By texel, row by row; black where nothing is.
    pub values: Vec<Rgb>,
}

/// The features of a texel: the mean over its points.
pub(super) fn at_points(
    scene: &Scene,
    features: &[FeatureDesc],
    points: impl Iterator<Item = Interaction>,
    context: &mut Context,
) -> Vec<Rgb> {
    let mut sums = vec![Rgb::BLACK; features.len()];
    let mut count = 0;
    let mut surface = ShadingResult::new();
    for it in points {
        let material = scene.material(it.shape);
        let ray = HitRay::from(RayKind::CAMERA);
        material.shade(&it, ray, &Footprint::POINT, &mut context.shading, &mut surface);
        for (sum, desc) in sums.iter_mut().zip(features) {
            *sum += value(&desc.feature, scene, &it, &surface, context);
        }
        count += 1;
    }
    sums.iter_mut().for_each(|sum| *sum *= 1.0 / count.max(1) as f32);
    for (sum, desc) in sums.iter_mut().zip(features) {
        if let Feature::Normal | Feature::TangentNormal = desc.feature {
            *sum = Rgb::from(Vec3::from_array(sum.to_array()).normalize_or_zero().to_array());
        }
    }
    sums
}

fn value(
    feature: &Feature,
    scene: &Scene,
    it: &Interaction,
    surface: &ShadingResult,
    context: &mut Context,
) -> Rgb {
    let side = it.wo.dot(it.ng).signum();
    match feature {
        Feature::Albedo => surface.bsdf.scattering_albedo(it.wo),
        Feature::Normal => color(surface.bsdf.shading_normal().unwrap_or(it.n * side)),
        Feature::TangentNormal => {
            let n = surface.bsdf.shading_normal().unwrap_or(it.n * side);
            color(Frame::from_normal_tangent(it.n * side, it.dpdu).to_local(n))
        }
        Feature::Roughness => Rgb::splat(surface.bsdf.roughness()),
        Feature::Opacity => Rgb::WHITE - surface.transparency,
        Feature::Emission => surface.emission,
        Feature::Position => color(it.p),
        Feature::Shader(by_material) => {
            let shader = by_material[scene.material_id(it.shape).0 as usize].as_ref();
            shader.map_or(Rgb::BLACK, |shader| {
                let ray = HitRay::from(RayKind::CAMERA);
                let (material, shading) = (scene.material(it.shape), &mut context.shading);
                Rgb::from(shader.value(material, it, ray, &Footprint::POINT, shading))
            })
        }
    }
}

fn color(v: Vec3) -> Rgb {
    Rgb::from(v.to_array())
}

/// Spreads the features of texels over their atlas, and dilates them by `margin` texels.
pub(super) fn spread(
    features: &[FeatureDesc],
    texels: &[Texel],
    values: &[Vec<Rgb>],
    sheet: &LightmapBuffer,
    margin: u32,
) -> Vec<FeatureMap> {
    let size = sheet.charts.len();
    let mut has = vec![false; size];
    let index = |texel: &Texel| (texel.at.y * sheet.size.x + texel.at.x) as usize;
    let mut maps: Vec<FeatureMap> = features
        .iter()
        .map(|desc| FeatureMap {
            name: desc.name.clone(),
            values: vec![Rgb::BLACK; size],
        })
        .collect();
    for (texel, values) in texels.iter().zip(values) {
        has[index(texel)] = true;
        for (map, &value) in maps.iter_mut().zip(values) {
            map.values[index(texel)] = value;
        }
    }
    for _ in 0..margin {
        let bare = (0..size).filter(|&texel| !has[texel]);
        let reached: Vec<(usize, Vec<usize>)> = bare
            .map(|texel| (texel, sheet.around(texel).filter(|&other| has[other]).collect()))
            .filter(|(_, others): &(usize, Vec<usize>)| !others.is_empty())
            .collect();
        for (texel, others) in reached {
            has[texel] = true;
            for map in &mut maps {
                let sum: Rgb = others.iter().map(|&other| map.values[other]).sum();
                map.values[texel] = sum * (1.0 / others.len() as f32);
            }
        }
    }
    maps
}
