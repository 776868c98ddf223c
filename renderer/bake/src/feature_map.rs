//! Features of surfaces at the texels of a texture.

use glam::{UVec2, Vec3};

use super::feature::{Feature, FeatureDesc};
use super::feature_rays::{SampleSum, add_visibility};
use super::lightmap_buffer::Coverage;
use super::raster::{NO_CHART, Texels};
use super::tangent_frame::TangentFrame;
use renderer_base::color::Rgb;
use renderer_base::sampler::Sampler;
use renderer_geometry::{Footprint, Interaction};
use renderer_transport::integrator::Context;
use renderer_transport::material::{HitRay, RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// Feature of all texels.
#[derive(Clone, Debug)]
pub struct FeatureMap {
    /// Name of the file.
    pub name: String,
    /// Values of texels, row by row; black for empty texels.
    pub values: Vec<Rgb>,
}

/// Point at which features are evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeaturePoint {
    /// The point, seen from the baked side.
    pub(super) it: Interaction,
    /// Tangent frame of the texture at the point.
    pub(super) frame: TangentFrame,
    /// Height above the low surface [m].
    pub(super) height: f32,
    /// True if rays may start at the point: it is neither inside nor under an object.
    pub(super) is_open: bool,
}

/// Features of a texel: the mean over its points. Features by rays are `None` if no point is open.
pub(super) fn at_points(
    scene: &Scene,
    features: &[FeatureDesc],
    points: &[FeaturePoint],
    key: UVec2,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Vec<Option<Rgb>> {
    let mut sums = vec![Rgb::BLACK; features.len()];
    let mut surface = ShadingResult::new();
    for point in points {
        let material = scene.material(point.it.shape);
        let ray = HitRay::from(RayKind::CAMERA);
        material.shade(&point.it, ray, &Footprint::POINT, &mut context.shading, &mut surface);
        for (sum, desc) in sums.iter_mut().zip(features) {
            *sum += value(&desc.feature, scene, point, &surface, context);
        }
    }
    let mut mean = |(sum, desc): (Rgb, &FeatureDesc)| {
        if desc.feature.rays().is_some() {
            return by_rays(&desc.feature, scene, points, key, sampler, context);
        }
        let mean = sum * (1.0 / points.len() as f32);
        let color = match desc.feature.is_direction() {
            true => unit(mean),
            false => mean,
        };
        (!points.is_empty()).then_some(color)
    };
    sums.into_iter().zip(features).map(&mut mean).collect()
}

/// Mean of a feature by rays over the open points.
fn by_rays(
    feature: &Feature,
    scene: &Scene,
    points: &[FeaturePoint],
    key: UVec2,
    sampler: &mut Sampler,
    context: &mut Context,
) -> Option<Rgb> {
    let rays = feature.rays()?;
    let count = points.iter().filter(|point| point.is_open).count();
    let mut sums = SampleSum::default();
    for (number, point) in points.iter().filter(|point| point.is_open).enumerate() {
        let samples = (key, rays.range(number, count));
        match feature {
            Feature::Occlusion(_) => {
                rays.add_openness(scene, &point.it, samples, sampler, context, &mut sums);
            }
            Feature::Shadow(lights, _) => {
                add_visibility((scene, lights), &point.it, samples, sampler, &mut context.shading, &mut sums);
            }
            _ => rays.add_curvature(scene, &point.it, samples, sampler, &mut sums),
        }
    }
    sums.mean().map(Rgb::splat)
}

fn value(
    feature: &Feature,
    scene: &Scene,
    point: &FeaturePoint,
    surface: &ShadingResult,
    context: &mut Context,
) -> Rgb {
    let it = &point.it;
    let normal = || {
        let side = it.wo.dot(it.ng).signum();
        surface.bsdf.shading_normal().unwrap_or(it.n * side)
    };
    match feature {
        Feature::Albedo => surface.bsdf.directional_albedo(it.wo),
        Feature::BaseColor => surface.bsdf.metallic_roughness().base_color,
        Feature::MetallicRoughness => {
            let model = surface.bsdf.metallic_roughness();
            Rgb::new(0.0, model.roughness, model.metallic)
        }
        Feature::Normal => color(normal()),
        Feature::TangentNormal => color(point.frame.to_local(normal())),
        Feature::Roughness => Rgb::splat(surface.bsdf.roughness()),
        Feature::Opacity => Rgb::WHITE - surface.transparency,
        Feature::Emission => surface.emission,
        Feature::Position => color(it.p),
        Feature::Height => Rgb::splat(point.height),
        Feature::Occlusion(_) | Feature::Curvature(_) | Feature::Shadow(..) => Rgb::BLACK,
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

fn unit(v: Rgb) -> Rgb {
    color(Vec3::from_array(v.to_array()).normalize_or_zero())
}

/// Feature over an atlas, while texels without value are filled.
struct Spreading<'a> {
    texels: &'a Texels,
    /// Chart of each texel, including dilated ones.
    charts: Vec<u32>,
    /// Value of each texel.
    values: Vec<Option<Rgb>>,
    coverage: Vec<Coverage>,
    is_direction: bool,
}

/// Fills the atlas with a feature of texels: texels without value get the mean of their neighbours in the chart, and charts
/// are dilated by `margin` texels.
fn spread(
    desc: &FeatureDesc,
    texels: &Texels,
    values: impl Iterator<Item = Option<Rgb>>,
    margin: u32,
) -> FeatureMap {
    let is_direction = desc.feature.is_direction();
    let values = filled(texels, values, is_direction, margin).0;
    FeatureMap {
        name: desc.name.clone(),
        values: values.into_iter().map(Option::unwrap_or_default).collect(),
    }
}

/// Origin of each texel's value; `found` marks texels with a value of their own.
pub(super) fn spread_coverage(
    texels: &Texels,
    found: impl Iterator<Item = bool>,
    margin: u32,
) -> Vec<Coverage> {
    filled(texels, found.map(|found| found.then_some(Rgb::WHITE)), false, margin).1
}

fn filled(
    texels: &Texels,
    values: impl Iterator<Item = Option<Rgb>>,
    is_direction: bool,
    margin: u32,
) -> (Vec<Option<Rgb>>, Vec<Coverage>) {
    let mut map = Spreading {
        texels,
        charts: texels.charts.clone(),
        values: vec![None; texels.charts.len()],
        coverage: vec![Coverage::Empty; texels.charts.len()],
        is_direction,
    };
    for (texel, value) in texels.list.iter().zip(values) {
        let at = texels.index(texel.at);
        map.values[at] = value;
        map.coverage[at] = match value {
            Some(_) => Coverage::Covered,
            None => Coverage::Dark,
        };
    }
    let all = || 0..map.charts.len();
    let in_charts = all()
        .filter(|&at| map.charts[at] != NO_CHART && map.values[at].is_none())
        .collect();
    let outside = all().filter(|&at| map.charts[at] == NO_CHART).collect();
    map.fill(in_charts, Coverage::Filled, u32::MAX);
    map.fill(outside, Coverage::Dilated, margin);
    (map.values, map.coverage)
}

impl Spreading<'_> {
    /// Sets each of the `bare` texels to the mean of its neighbours in its chart, or in the nearest chart if it has none, all at
    /// once, in at most `rounds` rounds. After the first round, only neighbours of the last texels can change.
    fn fill(&mut self, mut bare: Vec<usize>, coverage: Coverage, rounds: u32) {
        let mut is_bare = vec![false; self.charts.len()];
        bare.iter().for_each(|&at| is_bare[at] = true);
        for _ in 0..rounds {
            let set = |&at: &usize| {
                let chart = self.chart_for(at)?;
                Some((at, chart, self.mean_around(at, chart)?))
            };
            let found: Vec<(usize, u32, Rgb)> = bare.iter().filter_map(set).collect();
            if found.is_empty() {
                break;
            }
            for &(at, chart, mean) in &found {
                self.charts[at] = chart;
                self.values[at] = Some(mean);
                self.coverage[at] = coverage;
                is_bare[at] = false;
            }
            bare = found
                .iter()
                .flat_map(|&(at, ..)| self.texels.around(at))
                .filter(|&at| is_bare[at])
                .collect();
            bare.sort_unstable();
            bare.dedup();
        }
    }

    /// The chart of a texel; outside of charts, that of its valid neighbours, the first one if there are several.
    fn chart_for(&self, at: usize) -> Option<u32> {
        match self.charts[at] {
            NO_CHART => {
                let valid = self.texels.around(at).filter(|&other| self.values[other].is_some());
                valid.map(|other| self.charts[other]).min()
            }
            chart => Some(chart),
        }
    }

    fn mean_around(&self, at: usize, chart: u32) -> Option<Rgb> {
        let of_chart = self.texels.around(at).filter(|&other| self.charts[other] == chart);
        let (mut sum, mut count) = (Rgb::BLACK, 0);
        for value in of_chart.filter_map(|other| self.values[other]) {
            sum += value;
            count += 1;
        }
        let mean = sum * (1.0 / count as f32);
        (count > 0).then(|| if self.is_direction { unit(mean) } else { mean })
    }
}

/// Maps of all features.
pub(super) fn maps(
    features: &[FeatureDesc],
    texels: &Texels,
    values: &[Vec<Option<Rgb>>],
    margin: u32,
) -> Vec<FeatureMap> {
    let map = |(index, desc): (usize, &FeatureDesc)| {
        let values = values.iter().map(|values| values[index]);
        spread(desc, texels, values, margin)
    };
    features.iter().enumerate().map(map).collect()
}
