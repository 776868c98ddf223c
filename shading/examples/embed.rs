//! Minimal renderer: shades a sphere under one light.
//!
//! The example declares two closures, connects units in a group, provides a global of its own to shaders, changes a live
//! input without compilation, and shades from several threads.
//!
//! ```text
//! cargo run --release -p shading --example embed                  # shows two spheres as text
//! cargo run --release -p shading --example embed -- spheres.ppm   # writes a picture
//! ```

use std::error::Error;
use std::sync::Arc;
use std::thread;

use shading::{
    AttributeHandle, ClosureRegistry, ClosureTree, ClosureTypes, HostGlobal, InstanceOptions, LiveInputs,
    ShaderGlobals, ShaderHost, ShaderInstance, ShadingSystem, Source, Type,
};

/// A unit that computes a pattern, a unit that creates closures, and a group that connects the two. `wetness` is a global of
/// this renderer.
const SHADERS: &str = r#"
    shader stripes(float count = 5, output float result = 0)
    {
        result = smoothstep(0.4, 0.6, abs(mod(count * v, 1) - 0.5) * 2);
    }
    surface glazed(color clay = 0.5, float gloss = 40, output closure color surface = 0)
    {
        surface = clay * matte(N) + (0.2 + 0.8 * wetness) * shine(N, gloss);
    }
    group vase(color light = color(0.9, 0.7, 0.4), color dark = color(0.1, 0.2, 0.5),
               float gloss = 40 [[ int interactive = 1 ]], output closure color surface)
    {
        stripes bands(count = 6);
        glazed  glaze(clay = mix(dark, light, bands.result), gloss = gloss);
        surface = glaze.surface;
    }
"#;

shading::closures! {
    /// The closures of this renderer.
    pub enum Lobe {
        /// Lambert's reflection.
        Matte = matte(normal n),
        /// A highlight around the mirror direction.
        Shine = shine(normal n, float exponent = 20.0),
    }
}

/// Width and height of a sphere.
pub(crate) const SIZE: usize = 64;
/// Direction to the light.
const LIGHT: [f32; 3] = [-0.48, 0.6, 0.64];
/// Direction to the viewer.
const VIEWER: [f32; 3] = [0.0, 0.0, 1.0];

/// Host that provides the global `wetness`.
struct WetnessHost {
    wetness: f32,
}

impl ShaderHost for WetnessHost {
    fn attribute_handle(&self, name: &str) -> Option<AttributeHandle> {
        (name == "wetness").then_some(AttributeHandle(0))
    }

    fn attribute_by_handle(&self, _: &ShaderGlobals, _: AttributeHandle) -> Option<[f32; 4]> {
        Some([self.wetness, 0.0, 0.0, 0.0])
    }
}

#[allow(dead_code, reason = "tests call what it calls")]
fn main() -> Result<(), Box<dyn Error>> {
    let pictures = spheres()?;
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, ppm(&pictures))?,
        None => print!("{}", text(&pictures)),
    }
    Ok(())
}

/// Returns the sphere with the given inputs, and with a wider highlight: rows of pixels, one sphere above the other.
pub(crate) fn spheres() -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
    let mut registry = ClosureRegistry::default();
    let lobes = ClosureTypes::<Lobe>::register(&mut registry)?;
    let system = ShadingSystem::new(registry, Arc::new(WetnessHost { wetness: 0.5 }))
        .with_globals([HostGlobal::new("wetness", Type::FLOAT)?]);
    for warning in system.load(Source::new("vase.ksl", SHADERS))?.warnings.list {
        eprintln!("{warning}");
    }
    let options = InstanceOptions { live: LiveInputs::Marked, ..InstanceOptions::default() };
    let vase = system.instantiate(system.named("vase")?, &options)?;
    let duller = vase.with_inputs(&[("gloss", 5.0.into())])?;
    let mut pixels = shade(&system, &vase, &lobes)?;
    pixels.extend(shade(&system, &duller, &lobes)?);
    Ok(pixels)
}

/// Shades a sphere with two threads, each half of the rows.
fn shade(
    system: &ShadingSystem,
    instance: &ShaderInstance,
    lobes: &ClosureTypes<Lobe>,
) -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
    let mut pixels = vec![[0.02; 3]; SIZE * SIZE];
    thread::scope(|scope| {
        let halves = pixels.chunks_mut(SIZE * SIZE / 2).enumerate();
        let threads: Vec<_> = halves
            .map(|(half, pixels)| {
                scope.spawn(move || {
                    let mut context = system.context(); // one for each thread
                    for (index, pixel) in pixels.iter_mut().enumerate() {
                        let row = half * SIZE / 2 + index / SIZE;
                        if let Some(globals) = sphere(index % SIZE, row) {
                            *pixel = radiance(instance.run(&globals, &mut context)?, lobes);
                        }
                    }
                    Ok::<_, shading::RunError>(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result.map_err(Box::from),
            Err(_) => Err("a thread has panicked".into()),
        })
    })
    .map(|()| pixels)
}

/// Returns the light that a closure tree scatters to the viewer.
fn radiance(tree: ClosureTree<'_>, lobes: &ClosureTypes<Lobe>) -> [f32; 3] {
    let mut sum = [0.0; 3];
    for component in tree.components() {
        let scattered = match lobes.read(&component) {
            Some(Lobe::Matte { n }) => dot(n, LIGHT).max(0.0),
            Some(Lobe::Shine { n, exponent }) => {
                let half = normalized(std::array::from_fn(|i| LIGHT[i] + VIEWER[i]));
                dot(n, half).max(0.0).powf(exponent)
            }
            None => 0.0,
        };
        sum = std::array::from_fn(|i| sum[i] + scattered * component.weight[i]);
    }
    sum
}

/// Returns the shading point on the unit sphere that a pixel sees, along -z.
fn sphere(column: usize, row: usize) -> Option<ShaderGlobals> {
    let place = |index: usize| (index as f32 + 0.5) / SIZE as f32 * 2.2 - 1.1;
    let (x, y) = (place(column), -place(row));
    let z = (1.0 - x * x - y * y).max(0.0).sqrt();
    let n = [x, y, z];
    (z > 0.0).then(|| ShaderGlobals {
        p: n.into(),
        n: n.into(),
        ng: n.into(),
        i: VIEWER.map(|v| -v).into(),
        u: x.atan2(z) / std::f32::consts::TAU + 0.5,
        v: y.asin() / std::f32::consts::PI + 0.5,
        ..ShaderGlobals::default()
    })
}

/// Returns a picture file, encoded for a display.
fn ppm(pixels: &[[f32; 3]]) -> Vec<u8> {
    let mut file = format!("P6 {SIZE} {} 255\n", pixels.len() / SIZE).into_bytes();
    let byte = |v: &f32| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8;
    file.extend(pixels.iter().flatten().map(byte));
    file
}

/// Returns a picture of characters. Every second row is skipped, since characters are twice as high as wide.
fn text(pixels: &[[f32; 3]]) -> String {
    let ramp: Vec<char> = " .:-=+*#%@".chars().collect();
    let letter = |[r, g, b]: &[f32; 3]| {
        let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let step = luminance.clamp(0.0, 1.0).powf(1.0 / 2.2) * (ramp.len() - 1) as f32;
        ramp[step.round() as usize]
    };
    let rows = pixels.chunks(SIZE).step_by(2);
    rows.map(|row| row.iter().map(letter).collect::<String>() + "\n").collect()
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}
