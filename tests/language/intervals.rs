//! Bounds of shaders: no run of the interpreter at a point of a box has a result outside the bounds of the box.
//!
//! `KILN_FUZZ_UNITS` and `KILN_FUZZ_SEED` set the number of random units and the first seed.

use std::sync::Arc;

use language_support::boxes::{Corners, TestBounds, outside};
use language_support::generate::{self, Random, TestHost};
use language_support::{number, shipped};
use rayon::prelude::*;
use shading::bounds::{self, BoundsOptions};
use shading::hir::Unit;
use shading::interp::{self, RunOptions};
use shading::{InstanceOptions, ShaderGlobals};

mod tightness;

/// Number of random units tried.
const UNITS: u64 = 3000;

/// Points in each box of a random unit, and of a shipped shader.
const POINTS: u64 = 30;
const SHIPPED_POINTS: u64 = 100;

/// Fuel of endless units.
const FUEL: u32 = 300;

/// Sizes of boxes.
const SIZES: [f32; 5] = [0.0, 1e-3, 0.05, 0.5, 2.0];

/// Compares runs at random points of a box with the bounds.
fn check(name: &str, unit: &Unit, corners: &Corners, (fuel, points): (u32, u64), random: &mut Random) {
    let shading_box = corners.shading_box();
    let host = TestBounds { shading_box: shading_box.clone() };
    let options = BoundsOptions { host: &host, fuel, ..BoundsOptions::new(&shading_box) };
    let bounds = bounds::evaluate(unit, &options);
    for _ in 0..points {
        let globals = corners.point(random);
        let options = RunOptions { host: &TestHost, fuel, ..RunOptions::new(&globals) };
        if let Some(found) = outside(&bounds, &interp::run(unit, &options)) {
            panic!("{name}: {found}\nat {globals:?}\nof {shading_box:?}\n{unit}");
        }
    }
}

fn check_random(seed: u64, unit: &Unit, fuel: u32) {
    let mut random = Random::new(seed);
    let size = *random.pick(&SIZES);
    let mut globals = generate::globals(seed);
    if seed.is_multiple_of(16) {
        globals.p = [f32::NAN, f32::NEG_INFINITY, 1e-40].into();
        globals.n = [0.0, f32::MAX, -0.0].into();
        globals.v = -0.0;
    }
    let corners = Corners::random(&globals, size, &mut random);
    check(&format!("seed {seed}"), unit, &corners, (fuel, POINTS), &mut random);
}

#[test]
fn random_units_are_within_their_bounds() {
    let first = number("KILN_FUZZ_SEED").unwrap_or(0);
    let seeds = first..first + number("KILN_FUZZ_UNITS").unwrap_or(UNITS);
    seeds.into_par_iter().for_each(|seed| {
        check_random(seed, &generate::unit(seed), shading::eval::DEFAULT_FUEL);
        if seed.is_multiple_of(4) {
            check_random(seed, &generate::endless_unit(seed), FUEL);
        }
    });
}

#[test]
fn shipped_shaders_are_within_their_bounds() {
    let system = shipped::system(Arc::new(TestHost));
    let names = shipped::names();
    let units = names.iter().flat_map(|name| {
        let loaded = system.load(shipped::find(name).unwrap()).unwrap_or_else(|e| panic!("{e}"));
        let optimized = |template| system.optimized(template, &InstanceOptions::default());
        loaded
            .templates
            .iter()
            .map(|t| optimized(t).unwrap_or_else(|e| panic!("{e}")).0)
            .collect::<Vec<Unit>>()
    });
    let units: Vec<Unit> = units.collect();
    units.par_iter().enumerate().for_each(|(index, unit)| {
        let mut random = Random::new(index as u64);
        for size in SIZES {
            let globals: ShaderGlobals = generate::globals(random.bits());
            let corners = Corners::random(&globals, size, &mut random);
            let limits = (shading::eval::DEFAULT_FUEL, SHIPPED_POINTS);
            check(&unit.name, unit, &corners, limits, &mut random);
        }
    });
}
