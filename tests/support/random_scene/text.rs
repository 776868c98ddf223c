//! A scene folder: `scene.kiln`, its meshes and its images.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3};
use renderer::color::Rgb;
use renderer::image::{Image, WriteOptions, write};

use super::{Camera, Geometry, ImageFile, Lens, Light, MeshFormat, RandomScene, Shape, Sky, TriangleMesh};

/// Units of the tests: a tilted normal in tangent space, and an emitter with a dark frame.
const UNITS: &str = "\
shader tilt(float amount = 0.5, output normal n = N) { n = normalize(N + (backfacing() ? -amount : amount) * normalize(dPdu)); }
surface screen(color radiance = 1, float scale = 1, float low = 0.3, float high = 0.7, output closure color surface = 0) {
    surface = 0.2 * diffuse(N);
    if (u > low && u < high && v > low && v < high) surface = radiance * scale * emission();
}
";

impl RandomScene {
    /// Writes the scene to a folder; returns the path of its `scene.kiln`.
    pub fn write(&self, folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let mut text = format!(
            "// Seed {}.\n{UNITS}{}film {{ size = (32, 24); filter = box; }}\n",
            self.seed,
            super::media::UNITS
        );
        for image in &self.images {
            image.write(folder);
        }
        for (index, surface) in self.materials.iter().enumerate() {
            surface.declare(&format!("m{index}"), &mut text);
        }
        let mut meshes: Vec<(Arc<TriangleMesh>, MeshFormat, String)> = vec![];
        for (index, shape) in self.shapes.iter().enumerate() {
            self.declare_shape(index, shape, folder, &mut meshes, &mut text);
        }
        for (index, light) in self.lights.iter().enumerate() {
            let _ = writeln!(text, "light l{index} : {}", light.declaration(index, folder));
        }
        let _ = writeln!(text, "camera main : {}", self.camera.declaration());
        let file = folder.join("scene.kiln");
        std::fs::write(&file, text).expect("the scene can be written");
        file
    }

    fn declare_shape(
        &self,
        index: usize,
        shape: &Shape,
        folder: &Path,
        meshes: &mut Vec<(Arc<TriangleMesh>, MeshFormat, String)>,
        text: &mut String,
    ) {
        let (kind, transform, flips) = match shape.instance_of {
            Some(index) => {
                let base = &self.shapes[index];
                let flips = shape.flip_normals != base.flip_normals;
                let transform = shape.world * base.world.inverse();
                (format!("instance {{ of = s{index};"), transform, flips)
            }
            None => (shape.geometry.declaration(folder, meshes), shape.world, shape.flip_normals),
        };
        let flip = if flips { " flip_normals = true;" } else { "" };
        let _ = writeln!(
            text,
            "shape s{index} : {kind} material = m{}; transform = {};{flip} }}",
            shape.material,
            matrix(&transform)
        );
    }
}

impl Geometry {
    fn declaration(
        &self,
        folder: &Path,
        meshes: &mut Vec<(Arc<TriangleMesh>, MeshFormat, String)>,
    ) -> String {
        match self {
            Geometry::Sphere { center, radius } => {
                format!("sphere {{ center = {}; radius = {radius};", tuple(*center))
            }
            Geometry::Plane { size } => format!("plane {{ size = {size};"),
            Geometry::Rectangle { size: [x, y] } => format!("rectangle {{ size = ({x}, {y});"),
            Geometry::Disk { radius } => format!("disk {{ radius = {radius};"),
            Geometry::Cube { size } => format!("cube {{ size = {};", tuple(*size)),
            Geometry::Cylinder { radius, height } => {
                format!("cylinder {{ radius = {radius}; height = {height};")
            }
            Geometry::Mesh(mesh, format) => {
                let known = meshes
                    .iter()
                    .find(|(other, as_format, _)| Arc::ptr_eq(other, mesh) && as_format == format);
                let name = match known {
                    Some((_, _, name)) => name.clone(),
                    None => {
                        let name = format!("mesh{}.{}", meshes.len(), format.extension());
                        std::fs::write(folder.join(&name), format.encode(mesh))
                            .expect("the mesh can be written");
                        meshes.push((mesh.clone(), *format, name.clone()));
                        name
                    }
                };
                format!("mesh {{ file = {name:?};")
            }
        }
    }
}

impl Light {
    fn declaration(&self, index: usize, folder: &Path) -> String {
        match self {
            Light::Point { position, intensity } => {
                format!(
                    "point {{ position = {}; intensity = {}; }}",
                    tuple(*position),
                    tuple(*intensity)
                )
            }
            Light::Spot {
                position,
                direction,
                intensity,
                cutoff,
                beam_width,
                squared_cosine,
            } => format!(
                "spot {{ position = {}; direction = {}; intensity = {}; cutoff = {cutoff}; beam_width = {beam_width}; \
                 falloff = {}; }}",
                tuple(*position),
                tuple(*direction),
                tuple(*intensity),
                if *squared_cosine { "squared_cosine" } else { "linear" },
            ),
            Light::Directional { direction, irradiance } => format!(
                "directional {{ direction = {}; irradiance = {}; }}",
                tuple(*direction),
                tuple(*irradiance)
            ),
            Light::Environment { sky, rotation } => {
                // Maps are rotated but not mirrored; therefore the image is mirrored from left to right, along x.
                let mirrored = rotation.determinant() < 0.0;
                let turn = if mirrored {
                    *rotation * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0))
                } else {
                    *rotation
                };
                let look = match sky {
                    Sky::Constant(radiance) => format!("color = {};", tuple(*radiance)),
                    Sky::Gradient(above, below) => {
                        format!("color = {}; ground = {};", tuple(*above), tuple(*below))
                    }
                    Sky::Map(image, factor) => {
                        let image = ImageFile {
                            name: format!("sky{index}.exr"),
                            ..if mirrored { image.mirrored() } else { image.clone() }
                        };
                        image.write(folder);
                        format!("map = {:?}; color = {};", image.name, tuple(*factor))
                    }
                };
                let turn = DAffine3::from_mat3(turn);
                format!("environment {{ {look} rotate = {}; }}", matrix(&turn))
            }
        }
    }
}

impl Camera {
    fn declaration(&self) -> String {
        let lens = match &self.lens {
            Lens::Perspective { fov, aperture_radius, focus_distance } => format!(
                "perspective {{ fov = {fov}; aperture_radius = {aperture_radius}; focus_distance = {focus_distance};"
            ),
            Lens::Orthographic { width } => format!("orthographic {{ width = {width};"),
            Lens::Panoramic => "panoramic {".to_owned(),
        };
        format!("{lens} transform = {}; }}", matrix(&self.world))
    }
}

impl ImageFile {
    fn write(&self, folder: &Path) {
        let height = self.pixels.len() / self.width;
        let image = Image::from_fn(self.width, height, |x, y| {
            let [r, g, b] = self.pixels[y * self.width + x];
            Rgb::new(r, g, b)
        });
        write(&folder.join(&self.name), &image, &WriteOptions::default()).expect("the image can be written");
    }

    fn mirrored(&self) -> ImageFile {
        ImageFile {
            pixels: self
                .pixels
                .chunks(self.width)
                .flat_map(|row| row.iter().rev().copied())
                .collect(),
            ..self.clone()
        }
    }
}

fn tuple(v: DVec3) -> String {
    format!("({}, {}, {})", v.x, v.y, v.z)
}

/// The matrix row by row, for column vectors.
fn matrix(m: &DAffine3) -> String {
    let t = m.translation;
    let rows = m.matrix3.transpose();
    let row = |v: DVec3, w: f64| format!("{}, {}, {}, {w}", v.x, v.y, v.z);
    format!(
        "matrix({}, {}, {}, 0, 0, 0, 1)",
        row(rows.x_axis, t.x),
        row(rows.y_axis, t.y),
        row(rows.z_axis, t.z)
    )
}
