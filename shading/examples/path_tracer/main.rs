//! Path tracer of spheres: closures for matte surfaces, mirrors, glass and light, converted to lobes.
//!
//! Light sources and lobes are sampled, and weighted by the balance heuristic (Veach 1997, eq. 9.10).
//!
//! ```text
//! cargo run --release -p shading --example path_tracer -- spheres.ppm 64 # samples per pixel
//! ```

mod lobes;
mod sphere;
mod vector;

use std::error::Error;
use std::sync::Arc;
use std::thread;

use shading::{
    ClosureRegistry, ClosureTypes, InstanceOptions, NoHost, RunError, ShaderGlobals, ShaderInstance,
    ShadingContext, ShadingSystem, Source,
};

use lobes::{Lobe, Surface};
use sphere::{OFFSET, Sphere};
use vector::{Random, V};

const SHADERS: &str = r#"
    shader checker(float size = 1, color a = 0.8, color b = 0.2, output color result = 0)
    {
        result = mod(floor(P[0] / size) + floor(P[2] / size), 2) == 0 ? a : b;
    }
    surface painted(color base = 0.5, output closure color surface = 0)
    {
        surface = base * matte(N);
    }
    surface glazed(color base = 0.5, float ior = 1.5, output closure color surface = 0)
    {
        float f0 = pow((ior - 1) / (ior + 1), 2);
        float reflected = f0 + (1 - f0) * pow(1 - abs(dot(I, N)), 5);
        surface = (1 - reflected) * base * matte(N) + reflected * mirror(N);
    }
    surface chrome(color tint = 0.9, output closure color surface = 0) { surface = tint * mirror(N); }
    surface window(float ior = 1.5, output closure color surface = 0) { surface = glass(N, ior); }
    surface emitter(color radiance = 1, output closure color surface = 0) { surface = radiance * light(); }
    surface sky(output closure color surface = 0)
    {
        surface = mix(color(0.9, 0.9, 0.85), color(0.25, 0.4, 0.8), smoothstep(-0.1, 0.8, I[1])) * 0.3 * light();
    }
    group tiles(output closure color surface)
    {
        checker pattern(size = 0.7, a = color(0.75, 0.72, 0.65), b = color(0.15, 0.2, 0.25));
        painted paint(base = pattern.result);
        surface = paint.surface;
    }
    group banded(output closure color surface)
    {
        glazed glaze(base = mix(color(0.7, 0.1, 0.05), color(0.9, 0.6, 0.2), smoothstep(-0.3, 0.3, sin(14 * P[1]))));
        surface = glaze.surface;
    }
"#;

/// Maximum number of path segments.
const MAX_DEPTH: u32 = 12;
struct Scene {
    spheres: Vec<Sphere>,
    sky: Arc<ShaderInstance>,
    system: ShadingSystem,
    lobes: ClosureTypes<Lobe>,
}

#[allow(dead_code, reason = "tests call what it calls")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "spheres.ppm".to_owned());
    let samples = args.next().map_or(Ok(64), |text| text.parse())?;
    let (width, height) = (640, 360);
    let mut file = format!("P6 {width} {height} 255\n").into_bytes();
    let byte = |v: f32| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8;
    file.extend(picture(width, height, samples)?.into_iter().flatten().map(byte));
    std::fs::write(path, file)?;
    Ok(())
}

/// Renders the scene: linear RGB, rows from the top.
pub(crate) fn picture(width: usize, height: usize, samples: u32) -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
    let scene = Scene::new()?;
    let mut pixels = vec![[0.0; 3]; width * height];
    let count = thread::available_parallelism().map_or(1, usize::from).min(height);
    thread::scope(|scope| {
        let bands = pixels.chunks_mut(width * height.div_ceil(count));
        let threads: Vec<_> = (0..)
            .step_by(height.div_ceil(count))
            .zip(bands)
            .map(|(top, band)| {
                let scene = &scene;
                scope.spawn(move || -> Result<(), RunError> {
                    let mut context = scene.system.context();
                    for (index, pixel) in band.iter_mut().enumerate() {
                        let (x, y) = (index % width, top + index / width);
                        let mut random = Random::new((y * width + x) as u64);
                        let mut sum = V([0.0; 3]);
                        for _ in 0..samples {
                            let place = [x as f32 + random.next(), y as f32 + random.next()];
                            let to = V([
                                (place[0] * 2.0 - width as f32) / height as f32,
                                1.0 - place[1] * 2.0 / height as f32,
                                -2.6,
                            ]);
                            let eye = V([0.0, 1.1, 5.2]);
                            sum = sum
                                + scene.radiance(
                                    eye,
                                    (to - V([0.0, 0.25, 0.0])).unit(),
                                    &mut random,
                                    &mut context,
                                )?;
                        }
                        *pixel = (sum * (1.0 / samples as f32)).0;
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result.map_err(Box::<dyn Error>::from),
            Err(_) => Err("a thread has panicked".into()),
        })
    })?;
    Ok(pixels)
}

impl Scene {
    fn new() -> Result<Scene, Box<dyn Error>> {
        let mut registry = ClosureRegistry::default();
        let lobes = ClosureTypes::register(&mut registry)?;
        let system = ShadingSystem::new(registry, Arc::new(NoHost));
        system.load(Source::new("spheres.ksl", SHADERS))?;
        let shader = |name: &str, inputs: &[(&str, [f32; 3])]| {
            let options = InstanceOptions {
                inputs: inputs
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).into()))
                    .collect(),
                ..InstanceOptions::default()
            };
            system.instantiate(system.named(name)?, &options)
        };
        let sphere =
            |center: [f32; 3], radius, shader| Sphere { center: V(center), radius, shader, is_light: false };
        let light = Sphere {
            is_light: true,
            ..sphere([-3.2, 4.6, 2.6], 1.2, shader("emitter", &[("radiance", [9.0, 8.0, 6.5])])?)
        };
        let spheres = vec![
            light,
            sphere([0.0, -1000.0, 0.0], 1000.0, shader("tiles", &[])?),
            sphere([-1.75, 0.8, 0.0], 0.8, shader("banded", &[])?),
            sphere([0.0, 0.8, -0.6], 0.8, shader("chrome", &[("tint", [0.95, 0.9, 0.8])])?),
            sphere([1.7, 0.8, 0.2], 0.8, shader("window", &[])?),
            sphere([0.75, 0.3, 1.3], 0.3, shader("painted", &[("base", [0.1, 0.45, 0.3])])?),
            sphere([-0.6, 0.25, 1.4], 0.25, shader("glazed", &[("base", [0.6, 0.6, 0.65])])?),
        ];
        let sky = shader("sky", &[])?;
        Ok(Scene { spheres, sky, system, lobes })
    }

    /// Returns the radiance that arrives at `from` from a direction.
    fn radiance(
        &self,
        mut from: V,
        mut direction: V,
        random: &mut Random,
        context: &mut ShadingContext,
    ) -> Result<V, RunError> {
        let (mut sum, mut throughput) = (V([0.0; 3]), V([1.0; 3]));
        // Pdf of the direction, if light sampling could have produced it.
        let mut pdf = None;
        for depth in 1..=MAX_DEPTH {
            let Some((sphere, t)) = self.nearest(from, direction) else {
                let globals = ShaderGlobals { i: direction.0.into(), ..ShaderGlobals::default() };
                return Ok(sum + throughput * self.surface(&self.sky, &globals, context)?.emission);
            };
            let p = from + direction * t;
            let outward = (p - sphere.center) * (1.0 / sphere.radius);
            let is_back = outward.dot(direction) > 0.0;
            let n = if is_back { outward * -1.0 } else { outward };
            let globals = ShaderGlobals {
                p: p.0.into(),
                i: direction.0.into(),
                n: n.0.into(),
                ng: n.0.into(),
                backfacing: i32::from(is_back),
                ..ShaderGlobals::default()
            };
            let surface = self.surface(&sphere.shader, &globals, context)?;

            // Emission, weighted by multiple importance sampling.
            let share = match pdf {
                Some(pdf) if sphere.is_light => pdf / (pdf + sphere.pdf(from)),
                _ => 1.0,
            };
            sum = sum + throughput * surface.emission * share;
            if depth == MAX_DEPTH {
                break;
            }

            // Light sampling.
            let p = p + n * OFFSET;
            for light in self.spheres.iter().filter(|light| light.is_light) {
                let (wi, light_pdf) = light.sample(p, random);
                let (f, lobe_pdf) = surface.matte(wi);
                if let Some((seen, t)) = self.nearest(p, wi)
                    && f.luminance() > 0.0
                    && std::ptr::eq(seen, light)
                {
                    let point = p + wi * t;
                    let n = ((point - light.center) * (1.0 / light.radius)).0;
                    let globals = ShaderGlobals {
                        p: point.0.into(),
                        i: wi.0.into(),
                        n: n.into(),
                        ng: n.into(),
                        ..globals
                    };
                    let emission = self.surface(&light.shader, &globals, context)?.emission;
                    sum = sum + throughput * f * emission * (1.0 / (light_pdf + lobe_pdf));
                }
            }

            // BSDF sampling and Russian roulette.
            let Some(next) = surface.sample(direction, is_back, random) else {
                break;
            };
            throughput = throughput * next.weight;
            let kept = throughput.luminance().min(0.95);
            if depth > 3 && random.next() >= kept {
                break;
            }
            throughput = if depth > 3 { throughput * (1.0 / kept) } else { throughput };
            let side = if next.wi.dot(n) > 0.0 { p } else { p - n * (2.0 * OFFSET) };
            (from, direction, pdf) = (side, next.wi, next.pdf);
        }
        Ok(sum)
    }

    /// Runs a shader and converts its closures.
    fn surface(
        &self,
        shader: &ShaderInstance,
        globals: &ShaderGlobals,
        context: &mut ShadingContext,
    ) -> Result<Surface, RunError> {
        let mut surface = Surface {
            emission: V([0.0; 3]),
            lobes: [(V([0.0; 3]), Lobe::Light {}); 4],
            count: 0,
        };
        for component in shader.run(globals, context)?.components() {
            let weight = V(component.weight);
            match self.lobes.read(&component) {
                Some(Lobe::Light {}) => surface.emission = surface.emission + weight,
                Some(lobe) if surface.count < surface.lobes.len() => {
                    surface.lobes[surface.count] = (weight, lobe);
                    surface.count += 1;
                }
                _ => {}
            }
        }
        Ok(surface)
    }

    /// Returns the first sphere that a ray hits, and its distance.
    fn nearest(&self, from: V, direction: V) -> Option<(&Sphere, f32)> {
        let hits = self
            .spheres
            .iter()
            .filter_map(|sphere| Some((sphere, sphere.hit(from, direction)?)));
        hits.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
