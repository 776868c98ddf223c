//! The shading language in a renderer of one's own: registers two closures, compiles a group, shades a sphere with it,
//! and adds up the closure tree of each point under one lamp.
//!
//! ```text
//! cargo run -p shading --example embed                  # shows the sphere as text
//! cargo run -p shading --example embed -- sphere.ppm    # writes a picture
//! ```

use std::error::Error;
use std::sync::Arc;

use shading::ty::Type;
use shading::{
    ClosureNode, ClosureParam, ClosureRegistry, ClosureSignature, ClosureTree, InstanceOptions, NoHost,
    ShaderGlobals, ShadingSystem, Source,
};

/// A unit that makes a pattern, a unit that makes a closure of it, and a group that connects the two.
const SHADERS: &str = r#"
    shader stripes(float count = 5, output float result = 0)
    {
        result = smoothstep(0.4, 0.6, abs(mod(count * v, 1) - 0.5) * 2);
    }
    surface glazed(color clay = 0.5, float gloss = 40, output closure color surface = 0)
    {
        surface = clay * matte(N) + 0.6 * shine(N, gloss);
    }
    group vase(color light = color(0.9, 0.7, 0.4), color dark = color(0.1, 0.2, 0.5),
               output closure color surface)
    {
        stripes bands(count = 6);
        glazed  glaze(clay = mix(dark, light, bands.result));
        surface = glaze.surface;
    }
"#;

/// Width and height of the picture.
const SIZE: usize = 64;
/// Direction towards the lamp.
const LAMP: [f32; 3] = [-0.48, 0.6, 0.64];
/// Direction towards the viewer.
const VIEWER: [f32; 3] = [0.0, 0.0, 1.0];

/// The closures of this renderer: their signatures for the language, and what they scatter.
struct Scattering {
    registry: ClosureRegistry,
    matte: shading::hir::ClosureId,
    shine: shading::hir::ClosureId,
    /// Where the parameters of `shine` are in memory.
    shine_offsets: Vec<usize>,
}

impl Scattering {
    fn new() -> Scattering {
        let mut registry = ClosureRegistry::default();
        let matte = registry.register(ClosureSignature {
            name: "matte",
            params: vec![ClosureParam::new("n", Type::NORMAL)],
        });
        let shine = ClosureSignature {
            name: "shine",
            params: vec![
                ClosureParam::new("n", Type::NORMAL),
                ClosureParam::new("exponent", Type::FLOAT),
            ],
        };
        let (shine_offsets, _) = shine.layout();
        let shine = registry.register(shine);
        Scattering {
            registry,
            matte,
            shine,
            shine_offsets,
        }
    }

    /// Light of the lamp that a closure tree scatters to the viewer. The walk keeps a stack of its own, since trees can
    /// be deeper than the program's.
    fn radiance(&self, tree: ClosureTree<'_>) -> [f32; 3] {
        let mut sum = [0.0; 3];
        let mut open: Vec<_> = tree.root().map(|root| (root, [1.0; 3])).into_iter().collect();
        while let Some((closure, factor)) = open.pop() {
            match closure.node() {
                ClosureNode::Add { a, b } => {
                    open.extend([a, b].into_iter().flatten().map(|child| (child, factor)));
                }
                ClosureNode::Mul { weight, closure } => {
                    open.extend(closure.map(|child| (child, product(factor, weight))));
                }
                ClosureNode::Component { id, weight, params } => {
                    let scattered = if id == self.matte {
                        dot(params.triple(0), LAMP).max(0.0)
                    } else if id == self.shine {
                        let n = params.triple(self.shine_offsets[0]);
                        let exponent = params.float(self.shine_offsets[1]);
                        let half = normalized(std::array::from_fn(|i| LAMP[i] + VIEWER[i]));
                        dot(n, half).max(0.0).powf(exponent)
                    } else {
                        0.0
                    };
                    let light = product(factor, weight);
                    sum = std::array::from_fn(|i| sum[i] + scattered * light[i]);
                }
            }
        }
        sum
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let scattering = Scattering::new();
    let system = ShadingSystem::new(scattering.registry.clone(), Arc::new(NoHost));
    system.load(Source::new("vase.ksl", SHADERS))?;
    let group = system.template("vase").ok_or("there is no group `vase`")?;
    let instance = system.instantiate(group, &InstanceOptions::default())?;

    let mut context = system.context(); // one for each thread
    let mut pixels = vec![[0.02; 3]; SIZE * SIZE];
    for (index, pixel) in pixels.iter_mut().enumerate() {
        if let Some(globals) = sphere(index % SIZE, index / SIZE) {
            *pixel = scattering.radiance(instance.run(&globals, &mut context));
        }
    }

    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, ppm(&pixels))?,
        None => print!("{}", text(&pixels)),
    }
    Ok(())
}

/// The point of the unit sphere that a pixel sees, looking along -z.
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

/// A picture file, with the transfer of a display.
fn ppm(pixels: &[[f32; 3]]) -> Vec<u8> {
    let mut file = format!("P6 {SIZE} {SIZE} 255\n").into_bytes();
    let byte = |v: &f32| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8;
    file.extend(pixels.iter().flatten().map(byte));
    file
}

/// Characters from dark to bright; every second row, since characters are twice as high as wide.
fn text(pixels: &[[f32; 3]]) -> String {
    let ramp: Vec<char> = " .:-=+*#%@".chars().collect();
    let letter = |[r, g, b]: &[f32; 3]| {
        let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let step = luminance.clamp(0.0, 1.0).powf(1.0 / 2.2) * (ramp.len() - 1) as f32;
        ramp[step.round() as usize]
    };
    let rows = pixels.chunks(SIZE).step_by(2);
    rows.map(|row| row.iter().map(letter).collect::<String>() + "\n")
        .collect()
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn product(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] * b[i])
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}
