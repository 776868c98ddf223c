//! Bake target `probes`: SH coefficients of the radiance at points in space, on a grid or listed.

use std::time::Instant;

use glam::{UVec2, UVec3, Vec3};

use super::bake_cache::{Point, Points};
use super::error::BakeError;
use super::field::Field;
use super::job::{BakeStats, Job, Outcome};
use super::limit::MAX_PROBES;
use super::points::{Solids, openness};
use super::settings::ProbePlaces;
use super::sh::ShOrder;
use super::work::Workers;
use renderer_base::color::Rgb;
use renderer_base::math::Bounds;
use renderer_base::memory;
use renderer_base::sampler::Sampler;
use renderer_transport::integrator::Context;

/// Minimum fraction of open directions of a valid probe.
const MIN_OPENNESS: f32 = 0.75;

/// A grid of points; x runs fastest, then y, then z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The first point.
    pub origin: Vec3,
    /// Distance between neighbours [m].
    pub spacing: f32,
    /// Number of probes along each axis.
    pub counts: UVec3,
}

/// Light at points in space.
#[derive(Debug)]
pub struct Probes {
    /// The grid, if the probes have one.
    pub grid: Option<Grid>,
    /// Positions of the probes in world space [m].
    pub points: Vec<Vec3>,
    /// Fraction of directions that leave no solid, for each probe.
    pub openness: Vec<f32>,
    /// Order of the SH coefficients.
    pub order: ShOrder,
    field: Field,
}

impl Probes {
    /// The coefficients of radiance at a probe.
    pub fn coefficients(&self, probe: usize) -> &[Rgb] {
        self.field.coefficients(probe)
    }

    /// Returns whether a probe is outside all solids. Invalid probes of a grid are filled from neighbours.
    pub fn is_valid(&self, probe: usize) -> bool {
        self.openness[probe] >= MIN_OPENNESS
    }
}

/// Bakes probes.
pub(super) fn bake(
    job: &Job<'_>,
    workers: &Workers<'_>,
    places: &ProbePlaces,
) -> Result<Option<Outcome<Probes>>, BakeError> {
    let scene = workers.scene;
    let (grid, points) = match places {
        ProbePlaces::Points(points) => (None, points.clone()),
        ProbePlaces::Grid(spacing) => {
            let grid = Grid::over(scene.bounds(), *spacing)?;
            (Some(grid), grid.points())
        }
    };
    let layers = job.settings.order.coefficients() as u64 + 1;
    memory::check(format!("{} probes", points.len()), points.len() as u64 * 50 * layers)?;
    if points.is_empty() {
        return Err(BakeError::Nothing);
    }
    let key = |probe: usize| UVec2::new(probe as u32, 0);
    let solids = Solids::find(scene, &[], &mut Context::new(scene));
    let openness: Vec<f32> = workers.map(points.len(), |probe, sampler: &mut Sampler, _| {
        openness(scene, &solids, points[probe], key(probe), sampler)
    });

    let gather = Instant::now();
    let gathered = Points {
        names: vec![""],
        list: (points.iter().enumerate())
            .map(|(probe, &p)| Point { object: 0, block: key(probe), key: key(probe), p })
            .collect(),
        near: 1e-5 * scene.bounds().radius(),
    };
    let field = job.gather(workers, &gathered, |estimator, (probe, key), sampler, context| {
        let open = openness[probe] >= MIN_OPENNESS;
        open.then(|| estimator.in_space(points[probe], key, sampler, context))
    })?;
    let Some(mut field) = field else {
        return Ok(None);
    };
    let finish = Instant::now();
    let hidden = field.valid.iter().filter(|&&valid| !valid).count();
    if let Some(grid) = &grid {
        grid.fill(&mut field);
    }
    let dark = field.valid.iter().filter(|&&valid| !valid).count();
    let stats = BakeStats {
        points: points.len(),
        filled: hidden - dark,
        dark,
        prepare: gather - job.start,
        gather: finish - gather,
        finish: finish.elapsed(),
        ..BakeStats::default()
    };
    let probes = Probes { grid, points, openness, order: job.settings.order, field };
    Ok(Some(Outcome { product: probes, notes: vec![], stats }))
}

impl Grid {
    /// A grid centred in a box, at least half a spacing away from its sides.
    fn over(bounds: Bounds, spacing: Option<f32>) -> Result<Grid, BakeError> {
        let extent = bounds.max - bounds.min;
        let spacing = spacing.unwrap_or(extent.max_element() / 8.0).max(f32::MIN_POSITIVE);
        let counts = (extent / spacing).map(|n| (n - 1e-3).floor().max(0.0) + 1.0);
        let count = counts.as_dvec3().element_product();
        if count.is_nan() || count > f64::from(MAX_PROBES) {
            return Err(BakeError::TooManyProbes { spacing, count });
        }
        Ok(Grid {
            origin: bounds.center() - (counts - 1.0) * (0.5 * spacing),
            spacing,
            counts: counts.as_uvec3(),
        })
    }

    fn points(&self) -> Vec<Vec3> {
        let UVec3 { x, y, z } = self.counts;
        let cells = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| UVec3::new(i, j, k))));
        cells.map(|cell| self.origin + cell.as_vec3() * self.spacing).collect()
    }

    /// Fills invalid probes with the mean of their valid neighbours, repeatedly.
    fn fill(&self, field: &mut Field) {
        let counts = self.counts.as_ivec3();
        let index = |p: glam::IVec3| ((p.z * counts.y + p.y) * counts.x + p.x) as usize;
        let axes = [glam::IVec3::X, glam::IVec3::Y, glam::IVec3::Z];
        loop {
            let mut found = vec![];
            for probe in (0..field.len()).filter(|&probe| !field.valid[probe]) {
                let at = glam::IVec3::new(
                    probe as i32 % counts.x,
                    probe as i32 / counts.x % counts.y,
                    probe as i32 / (counts.x * counts.y),
                );
                let beside = axes.iter().flat_map(|&axis| [at - axis, at + axis]);
                let beside = beside.filter(|p| p.cmpge(glam::IVec3::ZERO).all() && p.cmplt(counts).all());
                let valid: Vec<usize> = beside.map(index).filter(|&i| field.valid[i]).collect();
                if !valid.is_empty() {
                    let mean = |layer: usize| {
                        valid.iter().map(|&i| field.at(i)[layer]).sum::<Rgb>() / valid.len() as f32
                    };
                    found.push((probe, (0..field.layers()).map(mean).collect::<Vec<Rgb>>()));
                }
            }
            if found.is_empty() {
                return;
            }
            for (probe, colors) in found {
                field.at_mut(probe).copy_from_slice(&colors);
                field.valid[probe] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_lies_in_the_middle() {
        let bounds = Bounds { min: Vec3::ZERO, max: Vec3::new(4.0, 2.0, 0.0) };
        let grid = Grid::over(bounds, Some(1.0)).unwrap();
        assert_eq!(grid.counts, UVec3::new(4, 2, 1));
        assert_eq!(grid.origin, Vec3::new(0.5, 0.5, 0.0));
        assert_eq!(grid.points().len(), 8);
        assert!(Grid::over(bounds, Some(1e-5)).is_err());
    }
}
