//! Startup cost of a production frame: links, optimises and compiles many groups of 75 instances of the library's
//! units, with most parameters at their defaults or constant.
//!
//! `cargo bench -p benches --bench studio [-- GROUPS [THREADS]]`
//!
//! A group has five layers. Each is a general network of which an artist uses only a part: an image with colour
//! correction and noise wear controls the colour, the roughness and the bumps of a `principled` surface. Masks blend
//! the layers, and most masks are disabled. A counter selects the enabled features, so that all groups differ and every
//! run is the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use renderer::material::{closure_registry, library};
use shading::CompileStats;
use shading::{InstanceOptions, NoHost, ShaderGroupTemplate, ShaderInstance, ShadingSystem, Template};

/// Number of groups in the frame that the authors of Open Shading Language report.
const FRAME: usize = 1885;
const LAYERS: usize = 5;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (groups, threads) = (numbers.next().unwrap_or(FRAME), numbers.next().unwrap_or(2));
    let system = ShadingSystem::new(closure_registry(), Arc::new(NoHost)).with_library(library::LIBRARY);
    let start = Instant::now();
    let frame: Vec<Template> =
        (0..groups).map(|seed| Template::Group(Arc::new(group(seed as u64)))).collect();
    println!("{groups} groups described in {:.3} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    let instances = compile(&system, &frame, threads);
    let elapsed = start.elapsed();
    let stats: Vec<&CompileStats> = instances.iter().map(|instance| instance.compile_stats()).collect();
    let sum = |of: fn(&CompileStats) -> usize| stats.iter().map(|m| of(m)).sum::<usize>() as f64;
    let time =
        |of: fn(&CompileStats) -> Duration| stats.iter().map(|m| of(m)).sum::<Duration>().as_secs_f64();
    let gone = |before: f64, after: f64| 100.0 * (1.0 - after / before);
    let (ops, ops_left) = (sum(|m| m.optimizer.ops_before), sum(|m| m.optimizer.ops_after));
    let (symbols, symbols_left) = (sum(|m| m.optimizer.symbols_before), sum(|m| m.optimizer.symbols_after));
    let n = groups as f64;
    println!(
        "operations  {:7.0} a group, {:5.0} left: {:.1} % gone",
        ops / n,
        ops_left / n,
        gone(ops, ops_left)
    );
    println!(
        "symbols     {:7.0} a group, {:5.0} left: {:.1} % gone",
        symbols / n,
        symbols_left / n,
        gone(symbols, symbols_left)
    );
    println!(
        "link {:.3} s, optimise {:.3} s, summed over {threads} threads",
        time(|m| m.link),
        time(|m| m.optimize)
    );
    println!(
        "all of it   {:.2} s on {threads} threads, {:.2} ms a group",
        elapsed.as_secs_f64(),
        1e3 * elapsed.as_secs_f64() / n
    );
    if let Some(peak) = renderer::memory::peak() {
        println!("memory      {:.0} MB at most", peak as f64 / 1e6);
    }
}

/// Compiles the groups of all instances in order.
fn compile(system: &ShadingSystem, frame: &[Template], threads: usize) -> Vec<Arc<ShaderInstance>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = vec![];
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(template) = frame.get(i) else { return made };
            let instance = system.instantiate(template.clone(), &InstanceOptions::default());
            made.push((i, instance.expect("the group is good")));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let lists = workers.into_iter().map(|worker| worker.join().expect("no panic"));
        lists.flatten().collect::<Vec<_>>()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, instance)| instance).collect()
}

/// Random numbers in `[0,1)`.
struct RandomNumbers(u64);

impl RandomNumbers {
    /// SplitMix64 (Steele, Lea and Flood 2014).
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 24) as f32
    }

    fn happens(&mut self, share: f32) -> bool {
        self.next() < share
    }
}

/// Instances of a group under construction.
struct Network {
    group: ShaderGroupTemplate,
    draws: RandomNumbers,
}

impl Network {
    fn add(&mut self, name: &str, unit: &str) {
        self.group.add(name, unit).expect("names are unique");
    }

    fn connect(&mut self, from: &str, to: &str) {
        self.group.connect(from, to).expect("a path");
    }

    fn set(&mut self, input: &str, value: f32) {
        self.group.set(input, value).expect("a path");
    }

    /// Sometimes sets the input to a constant; otherwise the input keeps its default.
    fn maybe(&mut self, input: &str, share: f32) {
        if self.draws.happens(share) {
            let value = self.draws.next();
            self.set(input, value);
        }
    }
}

/// 75 instances: five layers of 14, four that blend the layers, and the cutout.
fn group(seed: u64) -> ShaderGroupTemplate {
    let mut network = Network {
        group: ShaderGroupTemplate::new(format!("material_{seed}")),
        draws: RandomNumbers(seed),
    };
    for layer in 0..LAYERS {
        layer_of(&mut network, layer);
    }
    let mut below = "surface_0".to_owned();
    for layer in 1..LAYERS {
        let blend = format!("blend_{layer}");
        network.add(&blend, "blend");
        network.connect(&format!("{below}.surface"), &format!("{blend}.a"));
        network.connect(&format!("surface_{layer}.surface"), &format!("{blend}.b"));
        if network.draws.happens(0.2) {
            network.connect(&format!("mask_{layer}.result"), &format!("{blend}.amount"));
        } else {
            network.set(&format!("{blend}.amount"), 0.0);
        }
        below = blend;
    }
    network.add("cutout", "cutout");
    network.connect(&format!("{below}.surface"), "cutout.base");
    network.group.expose_output("cutout.surface", "surface").expect("a path");
    network.group
}

/// One layer: texture coordinates, image, colour correction and wear mask, roughness and bump.
fn layer_of(network: &mut Network, layer: usize) {
    let name = |unit: &str| format!("{unit}_{layer}");
    let port = |unit: &str, port: &str| format!("{unit}_{layer}.{port}");
    let units = [
        ("place", "place_uv"),
        ("image", "image"),
        ("graded", "color_correct"),
        ("tinted", "color_mix"),
        ("dirt", "fbm"),
        ("dirt_range", "remap"),
        ("dirt_color", "color_ramp"),
        ("worn", "color_mix"),
        ("final", "color_correct"),
        ("facing", "facing"),
        ("rough", "remap"),
        ("bump", "bump_noise"),
        ("mask", "remap"),
        ("surface", "principled"),
    ];
    for (instance, unit) in units {
        network.add(&name(instance), unit);
    }
    let path = format!("textures/base_{layer}.exr");
    network.group.set(&port("image", "file"), path.as_str()).expect("a path");
    let wires = [
        (port("place", "s"), port("image", "s")),
        (port("place", "t"), port("image", "t")),
        (port("image", "result"), port("graded", "input")),
        (port("graded", "result"), port("tinted", "a")),
        (port("dirt", "unsigned_value"), port("dirt_range", "input")),
        (port("dirt_range", "result"), port("dirt_color", "t")),
        (port("tinted", "result"), port("worn", "a")),
        (port("dirt_color", "result"), port("worn", "b")),
        (port("worn", "result"), port("final", "input")),
        (port("final", "result"), port("surface", "base_color")),
        (port("facing", "edge"), port("rough", "input")),
        (port("rough", "result"), port("surface", "roughness")),
        (port("bump", "n"), port("surface", "n")),
        (port("dirt", "value"), port("mask", "input")),
    ];
    for (from, to) in wires {
        network.connect(&from, &to);
    }
    for input in ["tinted", "worn"] {
        let amount = if network.draws.happens(0.25) { network.draws.next() } else { 0.0 };
        network.set(&port(input, "amount"), amount);
    }
    let bump = if network.draws.happens(0.25) { 0.2 } else { 0.0 };
    network.set(&port("bump", "amount"), bump);
    if network.draws.happens(0.6) {
        // A range without width gives a constant roughness.
        let value = network.draws.next();
        network.set(&port("rough", "to_low"), value);
        network.set(&port("rough", "to_high"), value);
    }
    for input in ["exposure", "saturation"] {
        network.maybe(&port("graded", input), 0.3);
        network.maybe(&port("final", input), 0.1);
    }
    for input in ["metallic", "specular", "clearcoat", "sheen", "spec_trans", "anisotropic"] {
        network.maybe(&port("surface", input), 0.1);
    }
    for input in ["scale_u", "scale_v", "offset_u"] {
        network.maybe(&port("place", input), 0.3);
    }
}
