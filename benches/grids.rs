//! Lookups in volume grids per second on one thread: dense and sparse grids, scattered points and points along rays;
//! and bounds of boxes.
//!
//! `cargo bench -p benches --bench grids [-- FILE.vdb]`

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::{IVec3, Vec3};
use renderer::files::DiskFiles;
use renderer::grid::{Grid, GridChoice, GridFile, GridLookup};
use renderer::math::Bounds;

/// Voxels along each side of the grids.
const SIDE: i32 = 192;
/// Lookups per measurement; the next constant is the number of boxes whose bounds are measured.
const LOOKUPS: u32 = 1_000_000;
const BOXES: u32 = 50_000;
/// Number of measurements; the fastest counts.
const REPEATS: usize = 3;

fn main() {
    let file = env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let from_file = file.map(|file| {
        let file = GridFile::read(&DiskFiles, Path::new(&file)).expect("the file has grids");
        ("of the file", file.load(&GridChoice::Main).expect("the grid is sound"))
    });
    let center = IVec3::splat(SIDE / 2).as_vec3();
    let noise = |v: IVec3| (v.x * 7 + v.y * 13 + v.z * 29) as f32 % 1.0 + (v.x * v.y % 17) as f32;
    let shell = |v: IVec3| match v.as_vec3().distance(center) {
        distance if (70.0..80.0).contains(&distance) => noise(v) + 1.0,
        _ => 0.0,
    };
    let grids = [("dense", grid(noise)), ("sparse", grid(shell))].into_iter().chain(from_file);
    println!(
        "million lookups a second     scattered  along rays  with slopes   boxes of 4³  of 32³   memory"
    );
    for (name, grid) in grids {
        let value = |p| grid.value(p);
        let sample = |p| {
            let world = grid.world_from_index().transform_point3(Vec3::as_dvec3(p)).as_vec3();
            let slopes = grid.sample(&GridLookup {
                dx: Vec3::X,
                dy: Vec3::Y,
                derivatives: true,
                ..GridLookup::at(world)
            });
            slopes.value[0] + slopes.dx[0]
        };
        let boxes = |side: f32| {
            let grid = &grid;
            move |p: Vec3| grid.max_in(Bounds { min: p, max: p + side })
        };
        println!(
            "{name:28} {:9.2} {:11.2} {:12.2} {:13.2} {:7.2} {:5.1} MB",
            rate(&grid, LOOKUPS, true, value),
            rate(&grid, LOOKUPS, false, value),
            rate(&grid, LOOKUPS, true, sample),
            rate(&grid, BOXES, true, boxes(4.0)),
            rate(&grid, BOXES, true, boxes(32.0)),
            grid.bytes() as f64 / 1e6,
        );
    }
}

/// A dense grid with a value for each voxel, as in Mitsuba's volume files.
fn grid(value: impl Fn(IVec3) -> f32) -> Grid {
    let mut bytes = b"VOL\x03".to_vec();
    for number in [1, SIDE, SIDE, SIDE, 1] {
        bytes.extend(number.to_le_bytes());
    }
    for bound in [0.0_f32, 0.0, 0.0, 1.0, 1.0, 1.0] {
        bytes.extend(bound.to_le_bytes());
    }
    for index in 0..SIDE * SIDE * SIDE {
        let voxel = IVec3::new(index % SIDE, index / SIDE % SIDE, index / SIDE / SIDE);
        bytes.extend(value(voxel).to_le_bytes());
    }
    let file = GridFile::parse(bytes, Path::new("a.vol")).expect("the header is valid");
    file.load(&GridChoice::Main).expect("the volume is valid")
}

/// Processor time of this thread, if the system measures it, so that other work on the machine does not count.
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Million lookups per second, at scattered points or along rays with steps of ⅓ voxel.
fn rate(grid: &Grid, count: u32, scattered: bool, lookup: impl Fn(Vec3) -> f32) -> f64 {
    let [low, high] = grid.activity().bounds.expect("there are voxels");
    let (low, extent) = (low.as_vec3(), (high - low).as_vec3());
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let (start, cpu_start) = (Instant::now(), cpu_time());
        let mut sum = 0.0;
        for index in 0..count {
            let number = if scattered { index } else { index >> 9 };
            let unit = [0x9e37_79b9, 0x85eb_ca6b_u32, 0xc2b2_ae35].map(|factor| {
                let bits = number.wrapping_mul(factor) ^ 0x1234_5678;
                (bits.wrapping_mul(0x7feb_352d) >> 8) as f32 / (1 << 24) as f32
            });
            let mut point = low + Vec3::from_array(unit) * extent;
            if !scattered {
                point.z = low.z + (index & 511) as f32 / 512.0 * extent.z;
            }
            sum += lookup(black_box(point));
        }
        black_box(sum);
        let elapsed = match (cpu_start, cpu_time()) {
            (Some(start), Some(end)) => end - start,
            _ => start.elapsed(),
        };
        best = best.min(elapsed.as_secs_f64());
    }
    f64::from(count) / best * 1e-6
}
