//! Export of `scene.glb`: the baked geometry in world space with lightmap coordinates or vertex light.
//!
//! - Of a texture: lightmap coordinates as `TEXCOORD_1`, and irradiance as the texture of the extension `MOZ_lightmap`,
//!   whose `intensity` is what makes irradiance [W/m²] of its values. That is an image of 8 bits; the `extras` of each
//!   material name the one of floats.
//! - Of vertices: the attributes `_IRRADIANCE` and `_SH_L00`, `_SH_L1m1`, ….
//!
//! A back is a node of its own, with its triangles and normals turned around. It lies a little off its front, so that
//! programs that cast rays or do not cull meet the right one first: by [`GAP`].
//!
//! Materials are diffuse, with the mean albedo of the shape: other programs do not run shaders.

use glam::{Vec2, Vec3};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::folder::SCENE;
use super::images::{Brightness, plain};
use super::texture_slot::TextureSlot;
use super::{Failure, pages};
use renderer_bake::{Lightmap, Side, SurfaceMaps, VertexLight};
use renderer_base::color::Rgb;
use renderer_export::Document;
use renderer_geometry::{Footprint, Mesh, Shape, ShapeId};
use renderer_transport::integrator::Context;
use renderer_transport::material::{RayKind, ShadingResult};
use renderer_transport::scene::Scene;

/// The geometry of a lightmap.
pub(super) fn of_lightmap(scene: &Scene, map: &Lightmap) -> Result<Vec<u8>, Failure> {
    let mut glb = Glb::default();
    let intensity = Brightness::of(map).intensity;
    glb.document.use_extension("MOZ_lightmap");
    let mut lightmaps = vec![];
    for (page, bytes) in (0u32..).zip(plain(map, intensity)?) {
        let name = match map.pages {
            1 => "lightmap".to_owned(),
            _ => format!("lightmap.{page}"),
        };
        let texture = glb.document.add_texture(&name, bytes);
        let file = pages::file("irradiance.exr", page, map.pages);
        lightmaps.push(json!({
            "extensions": { "MOZ_lightmap": { "index": texture, "texCoord": 1, "intensity": intensity } },
            "extras": { "lightmap": { "uri": file, "texCoord": 1, "intensity": 1.0 } },
        }));
    }
    for object in &map.objects {
        let place = (object.shape, object.side);
        let world = World::of_scene(scene, place, &object.mesh);
        let material = matte(scene, place, lightmaps.get(object.page as usize));
        glb.object(&world, &object.name, &object.mesh, material, vec![]);
    }
    glb.finish()
}

/// The geometry of light at vertices.
pub(super) fn of_vertices(scene: &Scene, light: &VertexLight) -> Result<Vec<u8>, Failure> {
    let mut glb = Glb::default();
    for object in &light.objects {
        let vertices = object.first..object.first + object.mesh.positions.len();
        let mut attributes = vec![(
            "_IRRADIANCE".to_owned(),
            vertices.clone().map(|v| light.irradiance(v)).collect(),
        )];
        for (index, name) in light.order.names().iter().enumerate() {
            let values = vertices.clone().map(|v| light.coefficients(v)[index]);
            attributes.push((format!("_SH_{name}"), values.collect()));
        }
        let place = (object.shape, object.side);
        let world = World::of_scene(scene, place, &object.mesh);
        let material = matte(scene, place, None);
        glb.object(&world, &object.name, &object.mesh, material, attributes);
    }
    glb.finish()
}

/// The geometry of a surface bake, with a material of its textures: names of glTF's with the bytes of a PNG file. The
/// material has the keys of `more`.
pub(super) fn of_surface(
    shapes: &[Shape],
    maps: &SurfaceMaps,
    textures: &[(TextureSlot, Vec<u8>)],
    more: &Value,
) -> Result<Vec<u8>, Failure> {
    let mut glb = Glb::default();
    let mut material = json!({ "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 } });
    for (slot, bytes) in textures {
        let index = glb.document.add_texture(slot.name(), bytes.clone());
        let texture = json!({ "index": index, "texCoord": if maps.in_place { 0 } else { 1 } });
        for key in slot.keys() {
            match slot {
                TextureSlot::BaseColor => material["pbrMetallicRoughness"][key] = texture.clone(),
                TextureSlot::Surface { .. } if *key == "metallicRoughnessTexture" => {
                    material["pbrMetallicRoughness"][key] = texture.clone();
                }
                TextureSlot::Normal | TextureSlot::Surface { .. } => material[key] = texture.clone(),
            }
        }
    }
    if let (Value::Object(material), Value::Object(more)) = (&mut material, more) {
        material.extend(more.clone());
    }
    for object in &maps.objects {
        let mut mesh = object.mesh.clone();
        if maps.in_place {
            mesh.uvs2 = vec![];
        }
        let shape = &shapes[object.shape.0 as usize];
        let world = World::new(shape, object.side, &mesh, shape.bounds().radius());
        glb.object(&world, &object.name, &mesh, material.clone(), vec![]);
    }
    glb.finish()
}

/// A file being made.
#[derive(Default)]
struct Glb {
    document: Document,
    nodes: Vec<usize>,
}

impl Glb {
    /// Adds a side of a shape as a mesh, a node and a material.
    fn object(
        &mut self,
        world: &World,
        name: &str,
        mesh: &Mesh,
        mut material: Value,
        colors: Vec<(String, Vec<Rgb>)>,
    ) {
        let mut attributes = serde_json::Map::new();
        attributes.insert("POSITION".to_owned(), json!(self.document.add_positions(&world.positions)));
        if !world.normals.is_empty() {
            attributes.insert("NORMAL".to_owned(), json!(self.document.add_floats(&world.normals)));
        }
        for (set, uvs) in [("TEXCOORD_0", &mesh.uvs), ("TEXCOORD_1", &mesh.uvs2)] {
            // In Kiln v runs up on surfaces, in glTF down.
            let flip = |uv: &Vec2| [uv.x, 1.0 - uv.y];
            if !uvs.is_empty() {
                attributes.insert(
                    set.to_owned(),
                    json!(self.document.add_floats(&uvs.iter().map(flip).collect::<Vec<_>>())),
                );
            } else if set == "TEXCOORD_0" && !mesh.uvs2.is_empty() {
                // The second set may not stand without a first.
                let zeros = vec![[0.0; 2]; mesh.positions.len()];
                attributes.insert(set.to_owned(), json!(self.document.add_floats(&zeros)));
            }
        }
        for (name, values) in colors {
            let values: Vec<[f32; 3]> = values.iter().map(|c| c.to_array()).collect();
            attributes.insert(name, json!(self.document.add_floats(&values)));
        }
        let indices = self.document.add_triangles(&world.triangles);
        material["name"] = json!(name);
        let material = self.document.add("materials", material);
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        let mesh = json!({ "name": name, "primitives": [primitive] });
        let mesh = self.document.add("meshes", mesh);
        self.nodes
            .push(self.document.add("nodes", json!({ "name": name, "mesh": mesh })));
    }

    /// The file.
    fn finish(mut self) -> Result<Vec<u8>, Failure> {
        self.document.json["scene"] = json!(0);
        self.document.json["scenes"] = json!([{ "nodes": self.nodes }]);
        let bytes = self.document.glb();
        bytes.map_err(|error| Failure::User(format!("error: cannot write {SCENE}: {error}")))
    }
}

/// Distance of a back side from its front, relative to the shape's radius; the second is the minimum, relative to the
/// scene's radius: thirty times the offset of Kiln's own ray origins.
const GAP: [f32; 2] = [1e-4, 3e-5];

/// A side of a mesh in world space, seen from its front.
struct World {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl World {
    fn of_scene(scene: &Scene, (id, side): (ShapeId, Side), mesh: &Mesh) -> World {
        World::new(&scene.shapes()[id.0 as usize], side, mesh, scene.bounds().radius())
    }

    /// A side of a shape in a scene of that radius.
    fn new(shape: &Shape, side: Side, mesh: &Mesh, radius: f32) -> World {
        let to_world = shape.placement().open();
        let turned = shape.flip_normals != (side == Side::Back);
        let sign = if turned { -1.0 } else { 1.0 };
        let normal = |&n: &Vec3| (to_world.normal(n).normalize_or(Vec3::Y) * sign).to_array();
        let turn = |&[a, b, c]: &[u32; 3]| {
            if to_world.is_mirrored() != turned { [a, c, b] } else { [a, b, c] }
        };
        let mut positions: Vec<Vec3> = (mesh.positions.iter()).map(|&p| to_world.point(p)).collect();
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(turn).collect();
        if side == Side::Back {
            let gap = GAP[0] * shape.bounds().radius();
            lift(&mut positions, &triangles, gap.max(GAP[1] * radius));
        }
        World {
            positions: positions.iter().map(|p| p.to_array()).collect(),
            normals: mesh.normals.iter().map(normal).collect(),
            triangles,
        }
    }
}

/// Moves vertices outward, along the sum of the area-weighted normals around: those in one place stay together.
fn lift(positions: &mut [Vec3], triangles: &[[u32; 3]], distance: f32) {
    // Zero has two signs.
    let place = |p: Vec3| (p + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut normals: FxHashMap<[u32; 3], Vec3> = FxHashMap::default();
    for corners in triangles {
        let [a, b, c] = corners.map(|index| positions[index as usize]);
        for p in [a, b, c] {
            *normals.entry(place(p)).or_default() += (b - a).cross(c - a);
        }
    }
    for p in positions {
        let normal = normals.get(&place(*p)).copied().unwrap_or_default();
        *p += normal.normalize_or_zero() * distance;
    }
}

/// A diffuse material of the colour of a side of a shape, with the keys of `more`.
fn matte(scene: &Scene, (id, side): (ShapeId, Side), more: Option<&Value>) -> Value {
    let albedo = mean_albedo(scene, id, side);
    let mut material = json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": [albedo.r, albedo.g, albedo.b, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 1.0,
        },
    });
    if let (Value::Object(material), Some(Value::Object(more))) = (&mut material, more) {
        material.extend(more.clone());
    }
    material
}

/// The share of light that a side of a shape returns, seen straight on, over a few of its points.
fn mean_albedo(scene: &Scene, id: ShapeId, side: Side) -> Rgb {
    const POINTS: u32 = 32;
    let shape = &scene.shapes()[id.0 as usize];
    let mut context = Context::new(scene);
    let mut surface = ShadingResult::new();
    let sum: Rgb = (0..POINTS)
        .map(|index| {
            let primitive =
                (u64::from(index) * u64::from(shape.primitive_count()) / u64::from(POINTS)) as u32;
            let spread = (index as f32 + 0.5) / POINTS as f32;
            let point = shape.sample_area(primitive, Vec2::new(spread, (spread * 13.0).fract())).point;
            let viewer = match side {
                Side::Front => point.ng,
                Side::Back => -point.ng,
            };
            let it = point.seen_from(viewer, id, primitive);
            scene.material(id).shade(
                &it,
                RayKind::DIFFUSE,
                &Footprint::POINT,
                &mut context.shading,
                &mut surface,
            );
            surface.bsdf.albedo(it.wo)
        })
        .sum();
    // JSON has no infinities and NaN.
    (sum / POINTS as f32).map(|v| if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 })
}
