//! Whole renders: samples per second of the shipped scenes on all threads, and the time per hit without ray tracing.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use renderer::render::{RenderSettings, Silent, render};
use renderer::scene::build::{Built, build};
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, load};

fn main() {
    divan::main();
}

fn scene(name: &str, size: u32) -> (SceneDesc, Built) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenes/{name}.kiln"));
    let options = LoadOptions {
        set: vec![format!("film.size=({size}, {size})").into()],
        ..LoadOptions::default()
    };
    let (desc, _) = load(&path, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let built = build(&desc, None, 0).unwrap_or_else(|errors| panic!("{errors}"));
    (desc, built)
}

/// Samples per second, with all bounces.
#[divan::bench(args = ["cornell_box", "material_ball", "room", "sky_balls"], sample_count = 5, sample_size = 1)]
fn samples(bencher: Bencher, name: &str) {
    const SIZE: u32 = 128;
    const SPP: u64 = 16;
    let (desc, built) = scene(name, SIZE);
    let settings = RenderSettings {
        samples: 0..SPP,
        total: SPP,
        ..RenderSettings::new(&desc, &built)
    };
    let count = u64::from(SIZE * SIZE) * SPP;
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        render(&built.scene, &settings, &Silent, &AtomicBool::new(false)).expect("the film can be made")
    });
}
