//! Scene as a glTF document: shapes as nodes below their imported models, cameras and lights.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec2, Vec3};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::document::Document;
use renderer_base::color::Rgb;
use renderer_base::math::{atan, determinant, inverse, tan};
use renderer_geometry::Mesh;
use renderer_geometry::camera::{CameraDesc, FovAxis, Projection};
use renderer_scene::{LUMENS_PER_WATT, LightKind, ModelPart};

/// A shape of a scene.
pub struct SceneShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// Name of the imported model.
    pub asset: Option<&'a str>,
    /// Triangles in object space.
    pub mesh: Arc<Mesh>,
    /// Object-to-world transform.
    pub world_from_object: Affine3A,
    /// True if the front is the side of clockwise triangles.
    pub is_flipped: bool,
    /// Number of the material. Shapes of one mesh and material share a glTF mesh.
    pub material: usize,
}

/// Builds the document of a scene without materials; primitives contain the numbers of their materials.
pub struct SceneWriter {
    document: Document,
    roots: Vec<Value>,
    assets: FxHashMap<String, usize>,
    meshes: FxHashMap<MeshKey, usize>,
    geometries: FxHashMap<(usize, bool), Geometry>,
    /// Added meshes, kept alive so that their addresses stay unique.
    kept: Vec<Arc<Mesh>>,
}

/// Address of a mesh, whether it is flipped, material.
type MeshKey = (usize, bool, usize);

/// Accessors of a mesh.
#[derive(Clone)]
struct Geometry {
    attributes: Value,
    indices: usize,
}

impl Default for SceneWriter {
    fn default() -> SceneWriter {
        SceneWriter::new()
    }
}

impl SceneWriter {
    /// Empty scene.
    pub fn new() -> SceneWriter {
        SceneWriter {
            document: Document::new(),
            roots: vec![],
            assets: FxHashMap::default(),
            meshes: FxHashMap::default(),
            geometries: FxHashMap::default(),
            kept: vec![],
        }
    }

    /// Adds a shape; returns its indices in the document, and whether the second and third vertex of its triangles are
    /// swapped.
    pub fn add_shape(&mut self, shape: &SceneShape<'_>) -> (ModelPart, bool) {
        let (transform, mesh, is_turned) = match transform(&shape.world_from_object) {
            Some(transform) => (transform, shape.mesh.clone(), false),
            // Nodes cannot be sheared.
            None => {
                let mesh = Arc::new(in_world(&shape.mesh, &shape.world_from_object));
                let is_mirrored = determinant(&shape.world_from_object.matrix3) < 0.0;
                (json!({}), mesh, is_mirrored)
            }
        };
        let key = (Arc::as_ptr(&mesh) as usize, shape.is_flipped, shape.material);
        let index = match self.meshes.get(&key) {
            Some(&index) => index,
            None => {
                let geometry = self.geometry(&mesh, shape.is_flipped);
                let primitive = json!({
                    "attributes": geometry.attributes,
                    "indices": geometry.indices,
                    "material": shape.material,
                });
                let index = self
                    .document
                    .add("meshes", json!({ "name": shape.name, "primitives": [primitive] }));
                self.meshes.insert(key, index);
                index
            }
        };
        let mut node = transform;
        node["name"] = json!(shape.name);
        node["mesh"] = json!(index);
        let node = self.document.add("nodes", node);
        match shape.asset {
            Some(asset) => {
                let parent = self.asset(asset);
                let parent = &mut self.document.json["nodes"][parent];
                if let Value::Array(children) = &mut parent["children"] {
                    children.push(json!(node));
                }
            }
            None => self.roots.push(json!(node)),
        }
        let part = ModelPart { node, mesh: index, primitive: 0, instance: None };
        (part, is_turned != shape.is_flipped)
    }

    fn asset(&mut self, name: &str) -> usize {
        if let Some(&node) = self.assets.get(name) {
            return node;
        }
        let node = self.document.add("nodes", json!({ "name": name, "children": [] }));
        self.roots.push(json!(node));
        self.assets.insert(name.to_owned(), node);
        node
    }

    fn geometry(&mut self, mesh: &Arc<Mesh>, is_flipped: bool) -> Geometry {
        let key = (Arc::as_ptr(mesh) as usize, is_flipped);
        if let Some(known) = self.geometries.get(&key) {
            return known.clone();
        }
        self.kept.push(mesh.clone());
        let sign = if is_flipped { -1.0 } else { 1.0 };
        let mut attributes = json!({});
        let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|p| p.to_array()).collect();
        attributes["POSITION"] = json!(self.document.add_positions(&positions));
        if !mesh.normals.is_empty() {
            let normals: Vec<[f32; 3]> = mesh.normals.iter().map(|&n| (n * sign).to_array()).collect();
            attributes["NORMAL"] = json!(self.document.add_floats(&normals));
        }
        // v points up in Kiln, and down in glTF.
        let down = |uvs: &[Vec2]| uvs.iter().map(|uv| [uv.x, 1.0 - uv.y]).collect::<Vec<_>>();
        let mut sets = vec![];
        if !mesh.uvs.is_empty() {
            sets.push(down(&mesh.uvs));
        }
        if !mesh.uvs2.is_empty() {
            if sets.is_empty() {
                // A second set requires a first.
                sets.push(vec![[0.0; 2]; mesh.positions.len()]);
            }
            sets.push(down(&mesh.uvs2));
        }
        for (set, uvs) in sets.iter().enumerate() {
            attributes[format!("TEXCOORD_{set}")] = json!(self.document.add_floats(uvs));
        }
        if !mesh.colors.is_empty() {
            attributes["COLOR_0"] = json!(self.document.add_floats(&mesh.colors));
        }
        let turn = |&[a, b, c]: &[u32; 3]| if is_flipped { [a, c, b] } else { [a, b, c] };
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(turn).collect();
        let indices = self.document.add_triangles(&triangles);
        let geometry = Geometry { attributes, indices };
        self.geometries.insert(key, geometry.clone());
        geometry
    }

    /// Adds a camera with a film of this size, if glTF supports it.
    pub fn add_camera(&mut self, name: &str, camera: &CameraDesc, film: [u32; 2]) {
        let [width, height] = film.map(|side| side as f32);
        // Depth buffers need a far plane.
        let near = camera.near.max(0.01);
        let lens = match camera.projection {
            Projection::Perspective { fov, fov_axis, .. } => {
                let half = tan(0.5 * fov);
                let measured = match fov_axis {
                    FovAxis::X => width,
                    FovAxis::Y => height,
                    FovAxis::Smaller => width.min(height),
                    FovAxis::Larger => width.max(height),
                    FovAxis::Diagonal => Vec2::new(width, height).length(),
                };
                json!({
                    "type": "perspective",
                    "perspective": {
                        "yfov": 2.0 * atan(half * height / measured),
                        "aspectRatio": width / height,
                        "znear": near,
                    },
                })
            }
            Projection::Orthographic { width: w, height: h } => {
                let x = w.or(h.map(|h| h * width / height)).unwrap_or(1.0);
                let y = h.unwrap_or(x * height / width);
                let far = if camera.far.is_finite() { camera.far } else { 1000.0 };
                json!({
                    "type": "orthographic",
                    "orthographic": { "xmag": 0.5 * x, "ymag": 0.5 * y, "znear": near, "zfar": far.max(2.0 * near) },
                })
            }
            Projection::Panoramic
            | Projection::Stereo { .. }
            | Projection::Cube { .. }
            | Projection::Fisheye { .. }
            | Projection::Custom { .. } => return,
        };
        let mut lens = lens;
        lens["name"] = json!(name);
        let index = self.document.add("cameras", lens);
        let (_, rotation, position) = camera.world_from_camera.to_scale_rotation_translation();
        self.add_placed(name, "camera", json!(index), position, rotation);
    }

    /// Adds a light, if glTF supports it.
    pub fn add_light(&mut self, name: &str, light: &LightKind) {
        let (kind, strength, position, direction) = match *light {
            LightKind::Point { position, intensity } => ("point", intensity, position, Vec3::NEG_Z),
            LightKind::Spot { position, direction, intensity, .. } => {
                ("spot", intensity, position, direction)
            }
            LightKind::Directional { direction, irradiance, .. } => {
                ("directional", irradiance, Vec3::ZERO, direction)
            }
            _ => return,
        };
        let brightness = strength.max_component();
        if brightness <= 0.0 {
            return;
        }
        let Rgb { r, g, b } = strength * (1.0 / brightness);
        let mut said = json!({
            "name": name,
            "type": kind,
            "color": [r, g, b],
            "intensity": brightness * LUMENS_PER_WATT,
        });
        if let LightKind::Spot { cutoff, beam_width, .. } = *light {
            let outer = cutoff.min(std::f32::consts::FRAC_PI_2);
            said["spot"] = json!({
                "outerConeAngle": outer,
                "innerConeAngle": beam_width.min(outer * 0.999),
            });
        }
        let list = &mut self.document.json["extensions"]["KHR_lights_punctual"]["lights"];
        let index = match list {
            Value::Array(lights) => {
                lights.push(said);
                lights.len() - 1
            }
            _ => {
                *list = json!([said]);
                0
            }
        };
        self.document.use_extension("KHR_lights_punctual");
        let rotation = Quat::from_rotation_arc(Vec3::NEG_Z, direction);
        let extension = json!({ "KHR_lights_punctual": { "light": index } });
        self.add_placed(name, "extensions", extension, position, rotation);
    }

    fn add_placed(&mut self, name: &str, key: &str, value: Value, position: Vec3, rotation: Quat) {
        let mut node = rigid(position, rotation);
        node["name"] = json!(name);
        node[key] = value;
        let node = self.document.add("nodes", node);
        self.roots.push(json!(node));
    }

    /// The document.
    pub fn finish(mut self) -> Document {
        self.document.json["scene"] = json!(0);
        self.document.json["scenes"] = json!([{ "nodes": self.roots }]);
        self.document
    }
}

fn rigid(position: Vec3, rotation: Quat) -> Value {
    let mut node = json!({});
    if position != Vec3::ZERO {
        node["translation"] = json!(position.to_array());
    }
    if rotation != Quat::IDENTITY {
        node["rotation"] = json!(rotation.normalize().to_array());
    }
    node
}

/// Transform of a node; `None` if glTF does not support it.
fn transform(world_from_object: &Affine3A) -> Option<Value> {
    /// Maximum cosine between perpendicular axes: rounding errors of single precision.
    const SHEAR: f32 = 1e-5;
    let m = world_from_object.matrix3;
    let axes = [m.x_axis, m.y_axis, m.z_axis];
    let pairs = [(0, 1), (1, 2), (2, 0)];
    let is_sheared = pairs.iter().any(|&(a, b)| {
        let (a, b) = (axes[a], axes[b]);
        a.dot(b).abs() > SHEAR * a.length() * b.length()
    });
    if is_sheared {
        return None;
    }
    let (scale, rotation, position) = world_from_object.to_scale_rotation_translation();
    let mut node = rigid(position, rotation);
    if (scale - Vec3::ONE).abs().max_element() > f32::EPSILON {
        node["scale"] = json!(scale.to_array());
    }
    Some(node)
}

/// Mesh in world space, with the same front.
fn in_world(mesh: &Mesh, world_from_object: &Affine3A) -> Mesh {
    let normals = inverse(world_from_object).matrix3.transpose();
    let is_mirrored = determinant(&world_from_object.matrix3) < 0.0;
    Mesh {
        positions: (mesh.positions.iter())
            .map(|&p| world_from_object.transform_point3(p))
            .collect(),
        normals: (mesh.normals.iter()).map(|&n| (normals * n).normalize_or(Vec3::Y)).collect(),
        triangles: (mesh.triangles.iter())
            .map(|&[a, b, c]| if is_mirrored { [a, c, b] } else { [a, b, c] })
            .collect(),
        ..mesh.clone()
    }
}
