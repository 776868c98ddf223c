//! Imported model, independent of the file format: meshes, materials, cameras, lights, instances.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use rustc_hash::{FxHashMap, FxHashSet};
use shading::syntax::ast::Expr;

use super::call::Call;
use renderer_base::files::Files;
use renderer_base::math::Bounds;
use renderer_geometry::camera::CameraDesc;
use renderer_geometry::{MANY_VERTICES, Mesh};
use renderer_image::Format;
use renderer_image::texture::{TextureColorSpace, TextureSource};
use renderer_scene::{Deformation, EmissionSides, LightKind, ModelPart, Motion, TextureDesc};

/// Number of bytes of an image that identify its format.
const HEAD: u64 = 16;

/// Content of a model file, in the file's world space.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Shapes; those with the same mesh are instances of it.
    pub shapes: Vec<ModelShape>,
    /// Lines and points.
    pub strands: Vec<ModelStrands>,
    /// Materials.
    pub materials: Vec<ModelMaterial>,
    /// Named textures.
    pub textures: Vec<TextureDesc>,
    /// Cameras by name.
    pub cameras: Vec<(String, CameraDesc)>,
    /// Aspect ratio (width over height) of the first camera's picture, if the file gives it.
    pub aspect: Option<f32>,
    /// Camera-to-world transforms over time of cameras that move, by name.
    pub camera_motions: FxHashMap<String, Arc<Motion>>,
    /// Lights by name; those that move are in a space of their own.
    pub lights: Vec<(String, LightKind)>,
    /// Transforms over time from the spaces of lights that move, by name.
    pub light_motions: FxHashMap<String, Arc<Motion>>,
    /// True if the model is that of a time: an animation changes other values than transforms and vertices.
    pub has_animated_values: bool,
    /// Warnings about content that Kiln does not show.
    pub warnings: Vec<String>,
    /// Paths of further input files: buffers, material libraries.
    pub files: Vec<PathBuf>,
    /// Names of the textures of image files, each of which is in `textures` once.
    pub images: FxHashSet<String>,
}

/// Mesh with a transform and a material.
#[derive(Clone, Debug)]
pub struct ModelShape {
    /// Name, unique in the model, except that instances of one node are adjacent and share it.
    pub name: Arc<str>,
    /// Triangle mesh.
    pub mesh: Arc<Mesh>,
    /// Object-to-world transform; invertible.
    pub world_from_object: Affine3A,
    /// Object-to-world transform over time, which replaces `world_from_object`.
    pub motion: Option<Arc<Motion>>,
    /// Mesh over time, which replaces `mesh`.
    pub deformation: Option<Arc<dyn Deformation>>,
    /// Index of the material, if the file gives one.
    pub material: Option<usize>,
    /// Node, mesh and primitive in a glTF file.
    pub part: Option<ModelPart>,
}

/// Lines or points with a transform and a material.
#[derive(Clone, Debug)]
pub struct ModelStrands {
    /// Name, unique among the shapes of the model, except that instances of one node are adjacent and share it.
    pub name: Arc<str>,
    /// The lines or points.
    pub set: Arc<StrandSet>,
    /// Object-to-world transform; invertible.
    pub world_from_object: Affine3A,
    /// Object-to-world transform over time, which replaces `world_from_object`.
    pub motion: Option<Arc<Motion>>,
    /// Index of the material, if the file gives one.
    pub material: Option<usize>,
}

/// Polylines or points, in object space.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandSet {
    /// Lines or points.
    pub kind: StrandKind,
    /// Vertices, those of each line adjacent.
    pub positions: Vec<Vec3>,
    /// Number of vertices of each line; empty for points.
    pub counts: Vec<u32>,
    /// Linear colours, three numbers for each vertex; empty if there are none.
    pub colors: Vec<f32>,
    /// Radius that the file gives [m].
    pub radius: Option<f32>,
}

/// Kind of a [`StrandSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrandKind {
    /// Polylines.
    Lines,
    /// Points.
    Points,
}

/// Material as a call of a unit.
#[derive(Clone, Debug)]
pub struct ModelMaterial {
    /// Name, unique in the model.
    pub name: String,
    /// The call: `gltf_pbr(base_color = (0.8, 0.8, 0.8), metallic = 0.0)`. Texture names refer to the model's textures.
    pub surface: Expr,
    /// True if the whole surface emits more than radiance 1, so that it lights the scene.
    pub emissive: bool,
    /// Sides that emit.
    pub emission: EmissionSides,
    /// True if engines do not show the back of the surface.
    pub culled: bool,
}

impl Model {
    /// Creates a model of one mesh, named after its file.
    pub fn of_mesh(path: &Path, mesh: Mesh) -> Model {
        Model::of_parts(path, vec![mesh])
    }

    /// Creates a model of several meshes, named `part0`, `part1` and so on; a single one is named after the file.
    pub fn of_parts(path: &Path, meshes: Vec<Mesh>) -> Model {
        let alone = meshes.len() == 1;
        let shape = |(index, mesh): (usize, Mesh)| ModelShape {
            name: if alone { stem(path) } else { format!("part{index}") }.into(),
            mesh: Arc::new(mesh),
            world_from_object: Affine3A::IDENTITY,
            motion: None,
            deformation: None,
            material: None,
            part: None,
        };
        Model {
            shapes: meshes.into_iter().enumerate().map(shape).collect(),
            ..Model::default()
        }
    }

    /// Assigns a material that shows the colours to shapes with vertex or face colours and without a material.
    pub(super) fn show_colors(&mut self) {
        let of_vertices = |mesh: &Mesh| !mesh.colors.is_empty();
        let of_faces = |mesh: &Mesh| mesh.attributes.iter().any(|values| values.is_called("face_color"));
        let surface = Call::new("gltf_pbr").with("metallic", 0).with("specular", 0.0);
        self.show("vertex colors", surface, of_vertices);
        let color = Call::new("attribute_color").with("name", Expr::string("face_color"));
        let surface = Call::new("matte").with("albedo", color.finish().member("result"));
        self.show("face colors", surface, of_faces);
    }

    /// Assigns a new material to the shapes without one whose mesh fulfils `is_shown`.
    fn show(&mut self, name: &str, surface: Call, is_shown: impl Fn(&Mesh) -> bool) {
        let is_plain = |shape: &&mut ModelShape| shape.material.is_none() && is_shown(&shape.mesh);
        let material = self.materials.len();
        let mut plain = self.shapes.iter_mut().filter(is_plain).peekable();
        if plain.peek().is_none() {
            return;
        }
        plain.for_each(|shape| shape.material = Some(material));
        let mut names = Names::default();
        for material in &self.materials {
            names.unique(&material.name);
        }
        self.materials.push(ModelMaterial {
            name: names.unique(name),
            surface: surface.finish(),
            emissive: false,
            emission: EmissionSides::Both,
            culled: false,
        });
    }

    /// Warns of positions so far from the origin that rounding is visible, as in survey data.
    pub(super) fn warn_of_rounding(&mut self) {
        /// Number of rounding steps along the model's extent that are fine enough.
        const STEPS: f32 = 8192.0;
        let Bounds { min, max } = self.bounds();
        let size = (max - min).max_element();
        let far = min.abs().max(max.abs()).max_element();
        let step = far * f32::EPSILON;
        if size > 0.0 && size < STEPS * step {
            self.warnings.push(format!(
                "its positions, {size} m apart at most, are {far} m from the origin, where they are rounded to {step:.1e} m: \
                 export it again with an offset that brings it near the origin"
            ));
        }
    }

    /// Registers an image file as a texture and returns the texture's name; `of` is the file that refers to it.
    ///
    /// # Errors
    /// If the file does not exist, or its format is not supported: callers keep the surface without the image.
    pub(super) fn image(
        &mut self,
        files: &dyn Files,
        file: &Path,
        color_space: TextureColorSpace,
        of: &Path,
    ) -> Result<String, String> {
        if !files.is_file(file) {
            return Err(format!("there is no file {}", file.display()));
        }
        let mut head = vec![];
        let read = files.open(file).and_then(|reader| reader.take(HEAD).read_to_end(&mut head));
        if read.is_ok() && Format::detect(file, &head).is_none() {
            return Err(format!("{} is of no format of images that is read", file.display()));
        }
        let kind = if color_space == TextureColorSpace::Raw { "raw" } else { "color" };
        let name = format!("{}#{kind}", file.display());
        if self.images.insert(name.clone()) {
            self.textures.push(TextureDesc {
                name: name.clone(),
                source: TextureSource::File(file.to_owned()),
                color_space,
                file: of.to_owned(),
            });
        }
        Ok(name)
    }

    /// Files that the model depends on, except the model file: further input files, and the images of its textures.
    pub fn read_or_named(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let images = self.textures.iter().filter_map(|texture| match &texture.source {
            TextureSource::File(path) => Some(path),
            TextureSource::Memory { .. } => None,
        });
        self.files.iter().chain(images).cloned()
    }

    /// Points in world space with the same extent as the shapes: their vertices, or, if these are too many, the corners
    /// of the meshes' bounding boxes; and the vertices of lines and points that have a radius.
    pub fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        let vertices = self.shapes.iter().map(|shape| shape.mesh.positions.len());
        let many = vertices.sum::<usize>() > MANY_VERTICES;
        let by_mesh = self.shapes.chunk_by(|a, b| Arc::ptr_eq(&a.mesh, &b.mesh));
        let strands = self.strands.iter().filter(|strands| strands.set.radius.is_some());
        let of_strands = strands.flat_map(|strands| {
            let positions = strands.set.positions.iter();
            positions.map(|&p| strands.world_from_object.transform_point3(p))
        });
        let of_meshes = by_mesh.flat_map(move |same| {
            let outline = same[0].mesh.outline(many);
            same.iter().flat_map(move |shape| {
                let outline = outline.clone();
                (0..outline.len()).map(move |i| shape.world_from_object.transform_point3(outline[i]))
            })
        });
        of_meshes.chain(of_strands)
    }

    /// Bounding box of the shapes.
    pub fn bounds(&self) -> Bounds {
        Bounds::of_points(self.points())
    }

    /// Returns whether the model has a light, or a shape that lights the scene.
    pub fn has_light(&self) -> bool {
        let emits =
            |shape: &ModelShape| shape.material.is_some_and(|material| self.materials[material].emissive);
        !self.lights.is_empty() || self.shapes.iter().any(emits)
    }
}

/// File name without directory and extension.
pub fn stem(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Generator of unique names: a second `Body` becomes `Body 2`.
#[derive(Debug, Default)]
pub struct Names {
    taken: FxHashSet<String>,
    /// Number of the last name generated for a base name.
    last: FxHashMap<String, u32>,
}

impl Names {
    /// Returns whether a name is taken.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// Returns the name, or a similar one if it is taken.
    pub fn unique(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let last = self.last.entry(name.to_owned()).or_insert(1);
        loop {
            *last += 1;
            let candidate = format!("{name} {last}");
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
