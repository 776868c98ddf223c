//! Texture lookups per second on one and two threads, by filter, and with a memory bound that holds only a few tiles.
//!
//! `cargo bench -p benches --bench textures`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use glam::Vec2;
use renderer::image::{Image, WriteOptions, encode};
use renderer::texture::{
    Filter, Interpolation, Lookup, TextureColorSpace, TextureId, TextureLoader, TextureSource, TextureStore,
    Wrap,
};

/// Width and height of the picture: 12 MB in 8 bits, 16 MB with its mip levels.
const SIDE: usize = 2048;

/// Lookups per thread and measurement.
const LOOKUPS: usize = 1_000_000;

/// Number of measurements; the fastest counts.
const REPEATS: usize = 3;

fn main() {
    let image = Image::from_fn(SIDE, SIDE, |x, y| {
        renderer::color::Rgb::new(
            (x * 7 % 256) as f32 / 255.0,
            (y * 13 % 256) as f32 / 255.0,
            (x * y % 251) as f32 / 255.0,
        )
    });
    let bytes: Arc<[u8]> = encode(Path::new("a.png"), &image, &WriteOptions::default())
        .expect("the image suits PNG")
        .into();
    let load = |limit| {
        let loader = TextureLoader::with_memory(limit);
        let name = PathBuf::from("a.png");
        let bytes = bytes.clone();
        let id = loader.request(TextureSource::Memory { name, bytes }, TextureColorSpace::Auto);
        (loader.load().expect("the picture is sound"), id)
    };
    let texel = 1.0 / SIDE as f32;
    let kinds = [
        ("closest", Interpolation::Closest, [texel, texel]),
        ("bilinear of a point", Interpolation::Linear, [0.0, 0.0]),
        ("bilinear", Interpolation::Linear, [texel, texel]),
        ("bicubic", Interpolation::Cubic, [texel, texel]),
        ("trilinear, 5 texels wide", Interpolation::SmartCubic, [5.0 * texel; 2]),
        ("8 : 1", Interpolation::SmartCubic, [16.0 * texel, 2.0 * texel]),
    ];
    let (whole, id) = load(usize::MAX);
    let (bound, bound_id) = load(SIDE * SIDE * 3 / 8);
    println!("million lookups a second      one thread  two threads   along rows, an eighth of the memory");
    for (name, interpolation, size) in kinds {
        let run = |store: &TextureStore, id, threads, scattered| {
            rate(store, id, interpolation, size, threads, scattered)
        };
        println!(
            "{name:28} {:11.2} {:12.2} {:12.2} {:22.2}",
            run(&whole, id, 1, true),
            run(&whole, id, 2, true),
            run(&whole, id, 1, false),
            run(&bound, bound_id, 1, false),
        );
    }
}

/// Million lookups per second of all threads together, at scattered points or along rows of pixels.
fn rate(
    store: &TextureStore,
    id: TextureId,
    interpolation: Interpolation,
    [width, height]: [f32; 2],
    threads: usize,
    scattered: bool,
) -> f64 {
    let filter = Filter {
        wrap_s: Wrap::Periodic,
        wrap_t: Wrap::Periodic,
        interpolation,
        ..Filter::default()
    };
    let work = |thread: usize| {
        let mut sum = 0.0;
        for i in 0..LOOKUPS {
            let i = i + thread * 7919;
            let st = if scattered {
                Vec2::new((i * 7919 % 100_003) as f32, (i * 104_729 % 99_991) as f32) / 100_000.0
            } else {
                Vec2::new((i % 1000) as f32, (i / 1000) as f32) / 1000.0
            };
            let lookup = Lookup {
                st,
                dx: Vec2::new(width, 0.0),
                dy: Vec2::new(0.0, height),
                filter,
            };
            sum += store.sample(id, &lookup).map_or(0.0, |sample| sample.value[1]);
        }
        std::hint::black_box(sum);
    };
    let turn = || {
        let start = Instant::now();
        thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || work(thread));
            }
        });
        (LOOKUPS * threads) as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    (0..REPEATS).map(|_| turn()).fold(0.0, f64::max)
}
