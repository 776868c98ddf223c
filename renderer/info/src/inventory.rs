//! Listing of a scene or model: cameras, shapes, materials and lights by name.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use glam::{Affine3A, Vec3};
use serde_json::{Value as Json, json};
use shading::syntax::ast::ExprKind;
use shading::{Diagnostics, RayKind};

use super::light_links::words;
use renderer_base::math::Bounds;
use renderer_geometry::camera::Projection;
use renderer_geometry::{MANY_VERTICES, Mesh};
use renderer_import::MODELS;
use renderer_scene::{
    CameraDesc, GeometryDesc, LightDesc, LightKind, LightLinks, MaterialDesc, SceneDesc, ShapeDesc,
};
use renderer_support::terminal::plural;
use renderer_transport::scene::build::tessellate;

/// Number of threads for all processors.
const ALL_THREADS: usize = 0;

/// Contents of a scene or model file.
pub(super) struct Inventory {
    desc: SceneDesc,
    /// Number of triangles of each shape after tessellation, if there is any.
    tessellated: Vec<Option<usize>>,
    /// True if the file is a model, whose film, camera and lights may be defaults.
    is_model: bool,
}

impl Inventory {
    /// Examines a description.
    ///
    /// # Errors
    /// If its shapes cannot be tessellated.
    pub(super) fn of(desc: SceneDesc) -> Result<Inventory, Diagnostics> {
        let is_model = desc
            .file
            .extension()
            .is_none_or(|extension| extension != "kiln" && extension != "xml");
        let (divided, _) = tessellate(desc.clone(), ALL_THREADS, RayKind::default())?;
        let counts = desc.shapes.iter().zip(&divided.shapes).map(|(before, after)| {
            let counts = (triangles(before), triangles(after));
            counts.1.filter(|_| counts.0 != counts.1)
        });
        Ok(Inventory { tessellated: counts.collect(), is_model, desc })
    }

    /// Returns whether there is nothing to list.
    pub(super) fn is_empty(&self) -> bool {
        self.desc.is_library() && self.desc.materials.is_empty()
    }

    fn kind(&self) -> &'static str {
        if self.is_model { "model" } else { "scene" }
    }

    /// Returns whether an object is a default: the objects of a model have the model's name as prefix.
    fn is_made_up(&self, name: &str) -> bool {
        self.is_model && !name.contains('.')
    }

    /// Shapes, instances of one node together, with the number of triangles after tessellation.
    fn shapes(&self) -> impl Iterator<Item = (&[ShapeDesc], Option<usize>)> {
        let mut first = 0;
        self.desc
            .shapes
            .chunk_by(|a, b| Arc::ptr_eq(&a.name, &b.name))
            .map(move |same| {
                first += same.len();
                (same, self.tessellated[first - same.len()])
            })
    }

    pub(super) fn text(&self) -> String {
        let desc = &self.desc;
        let mut text = format!("{} \"{}\"\n", self.kind(), desc.file.display());
        let [width, height] = desc.film.size.value;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "    film {width} x {height}, {} samples a pixel, integrator {}",
            desc.sampler.spp,
            desc.integrator.name()
        );
        if let Some((min, max)) = extent(desc) {
            let _ = writeln!(text, "    extent from {min} to {max} m");
        }
        let mut line = |keyword: &str, name: &str, kind: &str, rest: &str| {
            let made_up = if self.is_made_up(name) { ", not the model's own" } else { "" };
            let _ = writeln!(text, "    {keyword} \"{name}\" {kind}{rest}{made_up}");
        };
        for camera in &desc.cameras {
            line("camera", &camera.name, projection(camera), "");
        }
        for light in &desc.lights {
            let portals = match portals(light) {
                0 => String::new(),
                1 => " with a portal".to_string(),
                count => format!(" with {count} portals"),
            };
            line(
                "light",
                &light.name,
                light_kind(light),
                &(portals + &words(light.links.as_deref())),
            );
        }
        for (same, tessellated) in self.shapes() {
            let shape = &same[0];
            let mut triangles = match triangles(shape) {
                Some(count) => format!(" of {}", plural(count, "triangle")),
                None => String::new(),
            };
            if let Some(count) = tessellated {
                let _ = write!(triangles, ", tessellated to {}", plural(count, "triangle"));
            }
            let material = &desc.material(shape.material).name;
            let places = match same.len() {
                1 => String::new(),
                count => format!(", in {count} places"),
            };
            let links = words(shape.links.as_deref());
            let rest = format!("{triangles}{places}, material \"{material}\"{links}");
            let kind = geometry(&shape.geometry);
            let _ = writeln!(text, "    shape \"{}\" {kind}{rest}", shape.name);
        }
        for material in &desc.materials {
            let _ = writeln!(text, "    material \"{}\" {}", material.name, surface(material));
        }
        text
    }

    pub(super) fn json(&self) -> Json {
        let desc = &self.desc;
        let camera = |camera: &CameraDesc| {
            json!({
                "name": camera.name,
                "kind": projection(camera),
                "from": camera.camera.world_from_camera.translation.to_array(),
                "made_up": self.is_made_up(&camera.name),
            })
        };
        let light = |light: &LightDesc| json!({ "name": light.name, "kind": light_kind(light), "portals": portals(light), "links": links(light.links.as_deref()), "made_up": self.is_made_up(&light.name) });
        let shape = |(same, tessellated): (&[ShapeDesc], Option<usize>)| {
            let shape = &same[0];
            json!({
                "name": &*shape.name,
                "places": same.len(),
                "kind": geometry(&shape.geometry),
                "triangles": triangles(shape),
                "tessellated_triangles": tessellated,
                "material": desc.material(shape.material).name,
                "links": links(shape.links.as_deref()),
            })
        };
        let material =
            |material: &MaterialDesc| json!({ "name": material.name, "surface": surface(material) });
        let bounds = bounds(desc).map(|bounds| json!([bounds.min.to_array(), bounds.max.to_array()]));
        json!({
            "name": desc.file.display().to_string(),
            "kind": self.kind(),
            "size": desc.film.size.value,
            "spp": desc.sampler.spp,
            "integrator": desc.integrator.name(),
            "bounds": bounds,
            "cameras": desc.cameras.iter().map(camera).collect::<Json>(),
            "lights": desc.lights.iter().map(light).collect::<Json>(),
            "shapes": self.shapes().map(shape).collect::<Json>(),
            "materials": desc.materials.iter().map(material).collect::<Json>(),
        })
    }
}

/// Returns whether a path has the extension of a scene or a model.
pub(super) fn is_scene(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["kiln", "zip", "xml"]
        .iter()
        .chain(&MODELS)
        .any(|known| extension.eq_ignore_ascii_case(known))
}

fn projection(camera: &CameraDesc) -> &'static str {
    match camera.camera.projection {
        Projection::Perspective { .. } => "perspective",
        Projection::Orthographic { .. } => "orthographic",
        Projection::Panoramic | Projection::Stereo { .. } => "panoramic",
        Projection::Cube { .. } => "cube",
        Projection::Fisheye { .. } => "fisheye",
        Projection::Custom { .. } => "custom",
    }
}

/// Light links in words, without the comma that separates them from the rest of a line.
fn links(links: Option<&LightLinks>) -> Option<String> {
    links.map(|links| words(Some(links)).trim_start_matches(", ").to_owned())
}

fn light_kind(light: &LightDesc) -> &'static str {
    match light.kind {
        LightKind::Environment { .. } | LightKind::Background { .. } => "environment",
        LightKind::Sky { .. } => "sky",
        LightKind::Point { .. } => "point",
        LightKind::Spot { .. } => "spot",
        LightKind::Luminaire { .. } => "luminaire",
        LightKind::Projector { .. } => "projector",
        LightKind::DirectionalArea { .. } => "directional_area",
        LightKind::Directional { .. } => "directional",
    }
}

fn portals(light: &LightDesc) -> usize {
    match &light.kind {
        LightKind::Environment { portals, .. } | LightKind::Background { portals, .. } => portals.len(),
        _ => 0,
    }
}

fn geometry(geometry: &GeometryDesc) -> &'static str {
    match geometry {
        GeometryDesc::Sphere { .. } => "sphere",
        GeometryDesc::Plane { .. } => "plane",
        GeometryDesc::Rectangle { .. } => "rectangle",
        GeometryDesc::Disk { .. } => "disk",
        GeometryDesc::Cube { .. } => "cube",
        GeometryDesc::Cylinder { .. } => "cylinder",
        GeometryDesc::Cone { .. } => "cone",
        GeometryDesc::Mesh(_) => "mesh",
        GeometryDesc::Curves(_) => "curves",
        GeometryDesc::Points(_) => "points",
    }
}

fn triangles(shape: &ShapeDesc) -> Option<usize> {
    match &shape.geometry {
        GeometryDesc::Mesh(mesh) => Some(mesh.triangles.len()),
        _ => None,
    }
}

/// The unit or group that a material calls.
fn surface(material: &MaterialDesc) -> &str {
    match &material.surface.kind {
        ExprKind::Name(name) => name,
        ExprKind::Call { name, .. } => &name.text,
        _ => "an expression",
    }
}

/// The box about all shapes; a little wide where curved ones are turned.
fn bounds(desc: &SceneDesc) -> Option<Bounds> {
    let vertices = desc.shapes.iter().filter_map(|shape| match &shape.geometry {
        GeometryDesc::Mesh(mesh) => Some(mesh.positions.len()),
        GeometryDesc::Sphere { .. }
        | GeometryDesc::Plane { .. }
        | GeometryDesc::Rectangle { .. }
        | GeometryDesc::Disk { .. }
        | GeometryDesc::Cube { .. }
        | GeometryDesc::Cylinder { .. }
        | GeometryDesc::Cone { .. }
        | GeometryDesc::Curves(_)
        | GeometryDesc::Points(_) => None,
    });
    let many = vertices.sum::<usize>() > MANY_VERTICES;
    let mut last: Option<(*const Mesh, Vec<Vec3>)> = None;
    let points = desc.shapes.iter().flat_map(|shape| {
        if let (true, GeometryDesc::Mesh(mesh)) = (many, &shape.geometry) {
            let known = last.take().filter(|(known, _)| *known == Arc::as_ptr(mesh));
            let corners = known.map_or_else(|| mesh.outline(true).into_owned(), |(_, corners)| corners);
            let points = transformed(&corners, &shape.world_from_object);
            last = Some((Arc::as_ptr(mesh), corners));
            return points;
        }
        let (geometry, placed) = shape.geometry.build();
        let transform = shape.world_from_object * placed;
        match geometry.mesh() {
            Some(mesh) => transformed(&mesh.positions, &transform),
            None => transformed(&corners(&geometry.bounds()), &transform),
        }
    });
    let bounds = Bounds::of_points(points);
    (!bounds.is_empty()).then_some(bounds)
}

/// The corners of a box.
fn corners(bounds: &Bounds) -> Vec<Vec3> {
    let Bounds { min, max } = *bounds;
    let mut corners = vec![];
    for z in [min.z, max.z] {
        for (x, y) in [(min.x, min.y), (min.x, max.y), (max.x, min.y), (max.x, max.y)] {
            corners.push(Vec3::new(x, y, z));
        }
    }
    corners
}

fn transformed(points: &[Vec3], transform: &Affine3A) -> Vec<Vec3> {
    points.iter().map(|&p| transform.transform_point3(p)).collect()
}

/// The box as text, to three digits after the point.
fn extent(desc: &SceneDesc) -> Option<(String, String)> {
    let bounds = bounds(desc)?;
    let text = |v: Vec3| {
        // Avoid "-0".
        let [x, y, z] = v.to_array().map(|v| (f64::from(v) * 1e3).round() / 1e3 + 0.0);
        format!("({x}, {y}, {z})")
    };
    Some((text(bounds.min), text(bounds.max)))
}
