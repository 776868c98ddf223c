//! Nanoseconds per evaluation and per sample of each lobe, and per number of the sampler.
//!
//! Each round uses the same few pairs of directions; divan's item throughput is the result.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use glam::{UVec2, Vec2, Vec3};
use renderer::bsdf::{Bsdf, Conductor, Dielectric, Lambert, Lobe, Microfacets, OrenNayar, Schlick};
use renderer::color::Rgb;
use renderer::math::Frame;
use renderer::sampler::Sampler;
use renderer::sampling::uniform_hemisphere;

fn main() {
    divan::main();
}

/// Directions per round: few enough to stay in the first-level cache, as in a renderer.
const ROUND: usize = 32;

const LOBES: &[&str] = &[
    "lambert",
    "oren_nayar",
    "smooth conductor",
    "rough conductor",
    "smooth glass",
    "rough glass",
    "schlick",
    "lambert + schlick",
];

fn lobes(name: &str) -> Vec<Lobe> {
    let rough = Microfacets::isotropic(0.15);
    let gold = |microfacets| {
        let (eta, k) = (Rgb::new(0.143, 0.375, 1.442), Rgb::new(3.983, 2.386, 1.603));
        Lobe::Conductor(Conductor { eta, k, microfacets })
    };
    let schlick = Lobe::Schlick(Schlick::new(Rgb::splat(0.04), rough));
    match name {
        "lambert" => vec![Lobe::Lambert(Lambert)],
        "oren_nayar" => vec![Lobe::OrenNayar(OrenNayar::new(0.5))],
        "smooth conductor" => vec![gold(Microfacets::SMOOTH)],
        "rough conductor" => vec![gold(rough)],
        "smooth glass" => vec![Lobe::Dielectric(Dielectric::new(1.5, Microfacets::SMOOTH))],
        "rough glass" => vec![Lobe::Dielectric(Dielectric::new(1.5, rough))],
        "schlick" => vec![schlick],
        "lambert + schlick" => vec![Lobe::Lambert(Lambert), schlick],
        _ => unreachable!("no lobe {name}"),
    }
}

fn build(wo: Vec3, lobes: &[Lobe]) -> Bsdf {
    let frame = Frame::from_normal(Vec3::Z);
    let mut bsdf = Bsdf::new(Vec3::Z, wo);
    for &lobe in lobes {
        bsdf.push(Rgb::splat(0.5), frame, lobe);
    }
    bsdf
}

/// Directions and random numbers of a round, and the lobes seen from each direction.
fn round(name: &str) -> Vec<(Vec3, Vec3, f32, Vec2, Bsdf)> {
    let lobes = lobes(name);
    let mut sampler = Sampler::new(0);
    (0..ROUND as u64)
        .map(|index| {
            sampler.start(UVec2::ZERO, index);
            let (wo, wi) = (uniform_hemisphere(sampler.next_2d()), uniform_hemisphere(sampler.next_2d()));
            (wo, wi, sampler.next_1d(), sampler.next_2d(), build(wo, &lobes))
        })
        .collect()
}

#[divan::bench(args = LOBES)]
fn construct(bencher: Bencher, name: &str) {
    let (lobes, round) = (lobes(name), round(name));
    let frame = Frame::from_normal(Vec3::Z);
    let mut bsdf = Bsdf::new(Vec3::Z, Vec3::Z);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for (wo, ..) in &round {
            bsdf.reset(Vec3::Z, *wo);
            for &lobe in &lobes {
                bsdf.push(Rgb::splat(0.5), frame, lobe);
            }
            black_box(&bsdf);
        }
    });
}

#[divan::bench(args = LOBES)]
fn eval_pdf(bencher: Bencher, name: &str) {
    let round = round(name);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for (wo, wi, _, _, bsdf) in &round {
            black_box(bsdf.eval_pdf(*wo, *wi));
        }
    });
}

#[divan::bench(args = LOBES)]
fn sample(bencher: Bencher, name: &str) {
    let round = round(name);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for (wo, _, u_lobe, u, bsdf) in &round {
            black_box(bsdf.sample(*wo, *u_lobe, *u));
        }
    });
}

#[divan::bench(args = LOBES)]
fn albedo(bencher: Bencher, name: &str) {
    let (lobes, round) = (lobes(name), round(name));
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for (wo, ..) in &round {
            black_box(lobes[0].albedo(*wo));
        }
    });
}

#[divan::bench]
fn sampler_start(bencher: Bencher) {
    let mut sampler = Sampler::new(0);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for index in 0..ROUND as u64 {
            sampler.start(black_box(UVec2::new(3, 5)), index);
            black_box(&sampler);
        }
    });
}

#[divan::bench]
fn sampler_1d(bencher: Bencher) {
    let mut sampler = Sampler::new(0);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for _ in 0..ROUND {
            black_box(sampler.next_1d());
        }
    });
}

#[divan::bench]
fn sampler_2d(bencher: Bencher) {
    let mut sampler = Sampler::new(0);
    bencher.counter(ItemsCount::new(ROUND)).bench_local(|| {
        for _ in 0..ROUND {
            black_box(sampler.next_2d());
        }
    });
}
