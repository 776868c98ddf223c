//! Rasteriser: triangles in screen space, a depth buffer, and a shader per pixel with screen-space derivatives.
//!
//! One call shades the visible points of a row, four at a time (`run_batch` with `packets`). The shader computes colour and
//! normal; the rasteriser computes lighting.
//!
//! ```text
//! cargo run --release -p shading --example rasteriser -- torus.ppm
//! ```

use std::error::Error;
use std::f32::consts::TAU;
use std::sync::Arc;

use shading::{
    BatchOutput, ClosureRegistry, InstanceOptions, NoHost, ShaderGlobals, ShadingContext, ShadingSystem,
    Source,
};

/// The bricks are filtered over the footprint of a pixel, which the host states by `dudx` and the other derivatives.
const SHADERS: &str = r#"
    float line(float x, float width)
    {
        float footprint = filterwidth(x) + 1e-5;
        float at = abs(mod(x + 0.5, 1) - 0.5);
        return 1 - smoothstep(width - footprint, width + footprint, at);
    }
    shader bricks(float across = 24, float along = 10, output color base = 0, output normal bent = 0)
    {
        float row = floor(v * along);
        float x = u * across + 0.5 * mod(row, 2);
        float gap = max(line(x, 0.05), line(v * along, 0.08));
        float tone = cellnoise(floor(x), row);
        base = mix(mix(color(0.55, 0.2, 0.12), color(0.75, 0.4, 0.25), tone), color(0.6), gap);
        bent = normalize(N + 0.25 * (noise("perlin", 30 * P) - 0.5) * (1 - gap));
    }
"#;

/// Vertex of a triangle: position, normal, texture coordinates.
#[derive(Clone, Copy)]
struct Vertex {
    p: [f32; 3],
    n: [f32; 3],
    uv: [f32; 2],
}

/// Pixel covered by a triangle, with its shading point.
struct Fragment {
    column: usize,
    globals: ShaderGlobals,
}

const EYE: [f32; 3] = [0.0, 2.1, 3.4];
/// Unit vector to the light.
const LIGHT: [f32; 3] = [-0.36, 0.8, 0.48];
/// Ratio of the picture's size to the distance of the screen.
const FIELD_OF_VIEW: f32 = 1.7;

#[allow(dead_code, reason = "tests call what it calls")]
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "torus.ppm".to_owned());
    let (width, height) = (640, 400);
    let mut file = format!("P6 {width} {height} 255\n").into_bytes();
    let byte = |v: f32| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8;
    file.extend(picture(width, height)?.into_iter().flatten().map(byte));
    std::fs::write(path, file)?;
    Ok(())
}

/// Renders the scene: linear RGB, rows from the top.
pub(crate) fn picture(width: usize, height: usize) -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
    let system = ShadingSystem::new(ClosureRegistry::default(), Arc::new(NoHost));
    system.load(Source::new("bricks.ksl", SHADERS))?;
    let options = InstanceOptions { packets: true, ..InstanceOptions::default() };
    let bricks = system.instantiate(system.named("bricks")?, &options)?;
    let [base, bent] = ["base", "bent"].map(|name| bricks.output_index(name));
    let (base, bent) = (base.ok_or("no output `base`")?, bent.ok_or("no output `bent`")?);

    let mut context: ShadingContext = system.context();
    let mut pixels = vec![[0.03, 0.035, 0.05]; width * height];
    for (row, fragments) in rasterise(&torus(96, 48), width, height).into_iter().enumerate() {
        let points: Vec<ShaderGlobals> = fragments.iter().map(|fragment| fragment.globals).collect();
        let (mut colors, mut normals) = (vec![0.0; 3 * points.len()], vec![0.0; 3 * points.len()]);
        let mut outputs = [
            BatchOutput { index: base, numbers: &mut colors },
            BatchOutput { index: bent, numbers: &mut normals },
        ];
        if bricks.run_batch(&points, &mut context, &mut outputs)? < points.len() {
            return Err(format!("{:?}", context.take_reports()).into());
        }
        for (index, fragment) in fragments.iter().enumerate() {
            let light = 0.08 + 0.92 * dot(LIGHT, triple(&normals, index)).max(0.0);
            let color = triple(&colors, index);
            pixels[row * width + fragment.column] = color.map(|c| c * light);
        }
    }
    Ok(pixels)
}

/// Returns the visible point of each pixel, by rows.
fn rasterise(triangles: &[[Vertex; 3]], width: usize, height: usize) -> Vec<Vec<Fragment>> {
    let mut depth = vec![f32::INFINITY; width * height];
    let mut found: Vec<Option<ShaderGlobals>> = vec![None; width * height];
    for triangle in triangles {
        let Some(screen) = project_all(triangle, width, height) else {
            continue;
        };
        let area = edge(screen[0], screen[1], [screen[2][0], screen[2][1]]);
        // Back faces of a closed mesh are invisible.
        if area <= 0.0 {
            continue;
        }
        let range = |axis: usize, size: usize| {
            let low = screen.iter().map(|s| s[axis]).fold(f32::INFINITY, f32::min);
            let high = screen.iter().map(|s| s[axis]).fold(f32::NEG_INFINITY, f32::max);
            (low.max(0.0) as usize)..(high.ceil().clamp(0.0, size as f32) as usize)
        };
        for row in range(1, height) {
            for column in range(0, width) {
                let at = [column as f32 + 0.5, row as f32 + 0.5];
                let weights = |[x, y]: [f32; 2]| {
                    [(1, 2), (2, 0), (0, 1)].map(|(a, b)| edge(screen[a], screen[b], [x, y]) / area)
                };
                let here = weights(at);
                if here.iter().any(|w| *w < 0.0) {
                    continue;
                }
                let z = 1.0 / (0..3).map(|i| here[i] / screen[i][2]).sum::<f32>();
                if z >= depth[row * width + column] {
                    continue;
                }
                depth[row * width + column] = z;
                let right = weights([at[0] + 1.0, at[1]]);
                let below = weights([at[0], at[1] + 1.0]);
                let points = [here, right, below].map(|weights| interpolate(triangle, &screen, weights));
                found[row * width + column] = Some(globals(points));
            }
        }
    }
    let rows = found.chunks(width).map(|row| {
        let fragments = row.iter().enumerate().filter_map(|(column, globals)| {
            let globals = (*globals)?;
            Some(Fragment { column, globals })
        });
        fragments.collect()
    });
    rows.collect()
}

/// Returns the shading point of a pixel. Derivatives are differences to the next pixels to the right and below.
fn globals([here, right, below]: [Vertex; 3]) -> ShaderGlobals {
    let n = unit(here.n);
    ShaderGlobals {
        p: here.p.into(),
        i: unit(sub(here.p, EYE)).into(),
        n: n.into(),
        ng: n.into(),
        u: here.uv[0],
        v: here.uv[1],
        dpdx: sub(right.p, here.p).into(),
        dpdy: sub(below.p, here.p).into(),
        dudx: right.uv[0] - here.uv[0],
        dudy: below.uv[0] - here.uv[0],
        dvdx: right.uv[1] - here.uv[1],
        dvdy: below.uv[1] - here.uv[1],
        ..ShaderGlobals::default()
    }
}

/// Interpolates vertices at a point of the screen, with perspective correction: weights are divided by depth.
fn interpolate(triangle: &[Vertex; 3], screen: &[[f32; 3]; 3], weights: [f32; 3]) -> Vertex {
    let inverse = [0, 1, 2].map(|i| weights[i] / screen[i][2]);
    let sum: f32 = inverse.iter().sum();
    let mix =
        |value: &dyn Fn(&Vertex) -> f32| (0..3).map(|i| value(&triangle[i]) * inverse[i]).sum::<f32>() / sum;
    Vertex {
        p: std::array::from_fn(|axis| mix(&|v| v.p[axis])),
        n: std::array::from_fn(|axis| mix(&|v| v.n[axis])),
        uv: std::array::from_fn(|axis| mix(&|v| v.uv[axis])),
    }
}

/// Returns pixel coordinates and depth of the vertices; `None` if one is behind the eye.
fn project_all(triangle: &[Vertex; 3], width: usize, height: usize) -> Option<[[f32; 3]; 3]> {
    let forward = unit(sub([0.0, -0.1, 0.0], EYE));
    let right = unit([-forward[2], 0.0, forward[0]]);
    let up = [
        right[1] * forward[2] - right[2] * forward[1],
        right[2] * forward[0] - right[0] * forward[2],
        right[0] * forward[1] - right[1] * forward[0],
    ];
    let scale = height as f32 * FIELD_OF_VIEW;
    let screen = triangle.map(|vertex| {
        let to = sub(vertex.p, EYE);
        let z = dot(to, forward);
        let x = width as f32 / 2.0 + scale * dot(to, right) / z;
        [x, height as f32 / 2.0 - scale * dot(to, up) / z, z]
    });
    screen.iter().all(|s| s[2] > 0.01).then_some(screen)
}

/// Returns twice the area of the triangle of an edge and a point; positive on the inner side.
fn edge(a: [f32; 3], b: [f32; 3], [x, y]: [f32; 2]) -> f32 {
    (x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (b[0] - a[0])
}

/// Returns a torus of `around` × `tube` quadrilaterals.
fn torus(around: usize, tube: usize) -> Vec<[Vertex; 3]> {
    let corner = |i: usize, j: usize| {
        let uv = [i as f32 / around as f32, j as f32 / tube as f32];
        let ((sin_a, cos_a), (sin_b, cos_b)) = ((uv[0] * TAU).sin_cos(), (uv[1] * TAU).sin_cos());
        let n = [cos_b * cos_a, sin_b, cos_b * sin_a];
        let ring = 1.0 + 0.42 * cos_b;
        let p = [ring * cos_a, 0.42 * sin_b, ring * sin_a];
        Vertex { p, n, uv }
    };
    let cells = (0..around).flat_map(|i| (0..tube).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
            [[a, c, b], [a, d, c]]
        })
        .collect()
}

fn triple(numbers: &[f32], index: usize) -> [f32; 3] {
    std::array::from_fn(|i| numbers[3 * index + i])
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}
