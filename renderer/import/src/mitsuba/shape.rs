//! Translation of `shape` objects: analytic shapes, meshes, groups and instances, with their materials and area lights.
//!
//! A shape without a material is diffuse grey, or black if it emits. Emitters emit on the side of their normal.

use glam::{DMat4, DVec3};
use shading::Diagnostic;
use shading::syntax::ast::{Declaration, Expr, ExprKind};

use super::bsdf::BsdfCall;
use super::color::Use;
use super::document::ObjectId;
use super::medium::Filled;
use super::mesh::{MAX_STRETCH, stretches};
use super::translator::{MaterialKey, MaterialName, Translator};
use crate::call::Call;
use crate::scene_value::{number, transform, triple};
use renderer_base::math::coordinate_system;

pub(super) const SHAPES: &[&str] = &[
    "obj",
    "ply",
    "serialized",
    "sphere",
    "rectangle",
    "cube",
    "disk",
    "cylinder",
    "bsplinecurve",
    "linearcurve",
    "shapegroup",
    "instance",
    "merge",
];

/// Shape in its own space.
pub(super) struct Body {
    /// Kind: `sphere`, `mesh`, …
    kind: &'static str,
    /// Entries of its block.
    keys: Vec<(&'static str, Expr)>,
    /// Object-to-world transform of the shape itself, applied before that of its group.
    world_from_object: DMat4,
    flip_normals: bool,
    material: MaterialName,
    directional_area: Option<(&'static str, Expr)>,
}

impl Translator<'_> {
    pub(super) fn shape(&mut self, id: ObjectId) {
        self.mark_translated(id);
        match self.object(id).plugin.as_str() {
            // Rendered through instances only.
            "shapegroup" => {}
            "instance" => self.instance(id),
            "merge" => {
                for member in self.members(id) {
                    self.shape(member);
                }
            }
            _ => {
                if let Some(body) = self.body(id) {
                    self.place(id, &body, DMat4::IDENTITY);
                }
            }
        }
    }

    fn instance(&mut self, id: ObjectId) {
        let world_from_group = self.placement(id);
        let groups = self.parts(id, "shape");
        let &[group] = &groups[..] else {
            let place = self.object(id).place;
            return self.error(place, "an instance holds one shapegroup");
        };
        if self.object(group).plugin != "shapegroup" {
            let place = self.object(id).place;
            return self.error(place, "an instance must contain a shapegroup");
        }
        self.mark_translated(group);
        for member in self.members(group) {
            self.mark_translated(member);
            if matches!(self.object(member).plugin.as_str(), "shapegroup" | "instance") {
                let place = self.object(member).place;
                self.error(place, "groups cannot be parts of groups");
            } else if let Some(body) = self.body(member) {
                self.place(id, &body, world_from_group);
            }
        }
    }

    /// Shapes nested in another shape; a `merge` is replaced by the shapes that it holds.
    fn members(&mut self, id: ObjectId) -> Vec<ObjectId> {
        let mut members = vec![];
        let mut left = self.parts(id, "shape");
        left.reverse();
        while let Some(member) = left.pop() {
            if self.object(member).plugin == "merge" {
                self.mark_translated(member);
                left.extend(self.parts(member, "shape").into_iter().rev());
            } else {
                members.push(member);
            }
        }
        members
    }

    /// Declares a shape; `id` gives its name.
    fn place(&mut self, id: ObjectId, body: &Body, world_from_group: DMat4) {
        let object = self.object(id);
        let name = self.names.unique(object.name.as_deref().unwrap_or(&object.plugin));
        let mut shape = Declaration::named("shape", &name).of_kind(body.kind);
        for (key, value) in &body.keys {
            shape.set(key, value.clone());
        }
        let matrix = world_from_group * body.world_from_object;
        if matrix != DMat4::IDENTITY {
            shape.set("transform", transform(&matrix));
        }
        if body.flip_normals {
            shape.set("flip_normals", true);
        }
        shape.set("material", Expr::string(&body.material.name));
        self.declare(shape, object.place);
        if let Some((outline, irradiance)) = &body.directional_area {
            let mut light = Declaration::named("light", name).of_kind("directional_area");
            light.set("outline", Expr::name(*outline));
            light.set("transform", transform(&matrix));
            light.set("irradiance", irradiance.clone());
            if !self.traces_particles {
                // Mitsuba's path tracers cannot hit this light.
                light.set("scale", 0);
            }
            self.declare(light, object.place);
        }
    }

    /// Outline and irradiance of a directional area light.
    fn directional_area(&mut self, id: ObjectId) -> Option<(&'static str, Expr)> {
        let emitter = *self.parts(id, "emitter").first()?;
        if self.object(emitter).plugin != "directionalarea" {
            return None;
        }
        let irradiance = self.color_argument(emitter, "radiance", [1.0; 3], Use::Emission);
        let flipped = self.boolean(id, "flip_normals") == Some(true);
        match self.object(id).plugin.as_str() {
            "rectangle" if !flipped => Some(("rectangle", irradiance)),
            "disk" if !flipped => Some(("disk", irradiance)),
            _ => {
                let place = self.object(emitter).place;
                self.missing(
                    place,
                    "only rectangles and disks, not flipped, shine straight ahead in Kiln: this one does not",
                );
                None
            }
        }
    }

    /// Translates a shape, except for the transform of its group.
    fn body(&mut self, id: ObjectId) -> Option<Body> {
        let plugin = self.object(id).plugin.as_str();
        let mut body = Body {
            kind: "sphere",
            keys: vec![],
            world_from_object: self.placement(id),
            flip_normals: self.boolean(id, "flip_normals").unwrap_or(false),
            material: self.material_of(id),
            directional_area: self.directional_area(id),
        };
        self.ignore(id, &["silhouette_sampling_weight"]);
        match plugin {
            "sphere" => self.sphere(id, &mut body),
            // Kiln's cube has other texture coordinates on its faces.
            "cube" if body.material.uses_uv => {
                body.kind = "mesh";
                body.keys.push(("file", Expr::string(self.cube_mesh())));
            }
            "rectangle" => body.kind = "rectangle",
            "cube" => body.kind = "cube",
            "disk" => body.kind = "disk",
            "cylinder" => {
                body.kind = "cylinder";
                body.world_from_object *= self.cylinder(id)?;
            }
            "bsplinecurve" | "linearcurve" => {
                body.kind = "curves";
                let basis = if plugin == "bsplinecurve" { "bspline" } else { "linear" };
                let file = self.image_file(id, "filename")?;
                body.keys.push(("file", Expr::string(file)));
                body.keys.push(("basis", Expr::name(basis)));
                body.keys.push(("pinned", false.into()));
            }
            "obj" | "ply" | "serialized" => {
                body.kind = "mesh";
                let mesh = self.mesh(id, &body.world_from_object)?;
                body.keys.push(("file", Expr::string(mesh.name)));
                // Without vertex normals, the front side follows from the vertex order in world space.
                let mirrored = body.world_from_object.determinant() < 0.0;
                body.flip_normals ^= mirrored && !mesh.has_normals;
            }
            _ => {
                self.unknown_plugin(id, SHAPES, "; it is left out");
                return None;
            }
        }
        self.report_missing_attributes(&body);
        Some(body)
    }

    /// Warns of attributes that a material looks up and the mesh does not have; they are black.
    fn report_missing_attributes(&mut self, body: &Body) {
        if body.material.attributes.is_empty() {
            return;
        }
        let file = body.keys.iter().find(|(key, _)| *key == "file");
        let mesh = file.and_then(|(_, file)| {
            let mut meshes = self.meshes.list.iter();
            meshes.find_map(|(name, mesh)| (ExprKind::String(name.clone()) == file.kind).then_some(mesh))
        });
        let mut missing = body.material.attributes.clone();
        missing.retain(|(name, _)| !mesh.is_some_and(|mesh| mesh.has_attribute(name)));
        for (name, place) in missing {
            self.missing(
                place,
                format!("a shape of this material has no attribute `{name}`, which is black there"),
            );
        }
    }

    /// Translates a sphere. Mitsuba's v runs down from the pole at +z, Kiln's runs up. A reflection in the sphere's
    /// `to_world` flips its normals inwards; a reflection in a group's transform does not.
    fn sphere(&mut self, id: ObjectId, body: &mut Body) {
        body.flip_normals ^= body.world_from_object.determinant() < 0.0;
        if stretches(&body.world_from_object, MAX_STRETCH) {
            let message = "`to_world` makes an ellipsoid of this sphere, which Mitsuba renders as a sphere";
            let place = self.place_of(id, "to_world");
            self.say(Diagnostic::warning(message), place);
        }
        let center = self.vector(id, "center").unwrap_or(DVec3::ZERO);
        let radius = self.positive(id, "radius", 1.0);
        if body.material.uses_uv {
            let scale = DMat4::from_scale(DVec3::new(radius, radius, -radius));
            body.world_from_object *= DMat4::from_translation(center) * scale;
        } else {
            body.keys.push(("center", triple(center)));
            body.keys.push(("radius", number(radius)));
        }
    }

    fn positive(&mut self, id: ObjectId, name: &str, default: f64) -> f64 {
        let value = self.float(id, name).unwrap_or(default);
        if value > 0.0 {
            return value;
        }
        let place = self.place_of(id, name);
        self.error(place, format!("`{name}` is to be more than 0"));
        default
    }

    /// Transform from the cylinder of radius 1 about the z axis, from 0 to 1, to the cylinder about the line between
    /// two points.
    fn cylinder(&mut self, id: ObjectId) -> Option<DMat4> {
        let [p0, p1] = ["p0", "p1"].map(|name| self.vector(id, name));
        let (p0, p1) = (p0.unwrap_or(DVec3::ZERO), p1.unwrap_or(DVec3::Z));
        let radius = self.positive(id, "radius", 1.0);
        let length = (p1 - p0).length();
        let Some(axis) = (p1 - p0).try_normalize() else {
            let place = self.object(id).place;
            self.error(place, "`p0` and `p1` are the same point");
            return None;
        };
        // Start of u: the same frame as Mitsuba's.
        let (s, t) = coordinate_system(axis.as_vec3());
        let [s, t] = [s, t].map(|side| side.as_dvec3());
        let turned = DMat4::from_cols(s.extend(0.0), t.extend(0.0), axis.extend(0.0), p0.extend(1.0));
        Some(turned * DMat4::from_scale(DVec3::new(radius, radius, length)))
    }

    /// Material of a shape, which is declared at its first use.
    fn material_of(&mut self, id: ObjectId) -> MaterialName {
        let bsdfs = self.parts(id, "bsdf");
        let emitters = self.parts(id, "emitter");
        if bsdfs.len() > 1 || emitters.len() > 1 {
            let place = self.object(id).place;
            self.error(place, "a shape has one bsdf, and one emitter at most");
        }
        let (bsdf, interior) = (bsdfs.first().copied(), self.interior(id));
        let is_outside_told = self.exterior(id);
        let key = MaterialKey {
            bsdf,
            emitter: emitters.first().copied(),
            interior,
            is_hollow: is_outside_told && interior.is_none() && bsdf.is_some_and(|bsdf| self.is_passed(bsdf)),
            is_interface: self.object(id).is_old && (is_outside_told || interior.is_some()),
        };
        if let Some(name) = self.materials.get(&key) {
            return name.clone();
        }
        let name = match (key.bsdf.and_then(|bsdf| self.object(bsdf).name.clone()), key.emitter) {
            (Some(name), None) => name,
            (Some(name), Some(_)) => format!("{name} lit"),
            (None, Some(_)) => "lamp".to_owned(),
            (None, None) => "material".to_owned(),
        };
        let name = self.names.unique(&name);
        let (lookups, attributes) = (self.lookups, self.attributes.len());
        let surface = match (key.bsdf, key.emitter) {
            (Some(bsdf), _) => self.bsdf(bsdf, None),
            (None, Some(_)) => BsdfCall::black(),
            (None, None) if key.is_interface => BsdfCall::none(),
            (None, None) => BsdfCall::grey(),
        };
        let mut call = match key.emitter {
            None => surface.call.clone(),
            Some(emitter) => self.emissive(emitter, &surface),
        };
        let mut interior = None;
        if let Some(medium) = key.interior {
            Filled { surface: call, interior } = self.filled(call, medium);
        }
        self.size = self.size.saturating_add(call.size().nodes);
        let mut material = Declaration::named("material", &name);
        material.value = Some(call);
        if let Some(interior) = interior {
            self.size = self.size.saturating_add(interior.size().nodes);
            material.set("interior", interior);
        }
        if surface.front_only {
            material.set("one_sided", true);
        }
        if key.is_hollow {
            // A body with an empty interior displaces the surrounding medium.
            material.set("priority", 0);
        }
        if key.interior.is_some() || key.is_hollow || refracts(&surface.call) {
            // Mitsuba's indices are relative to the exterior index of the file, and its media fill the enclosing objects.
            material.set("relative_ior", true);
        }
        let place = self.object(key.bsdf.or(key.emitter).unwrap_or(id)).place;
        self.declare(material, place);
        let name = MaterialName {
            name,
            uses_uv: self.lookups > lookups,
            attributes: self.attributes.split_off(attributes),
        };
        self.materials.insert(key, name.clone());
        name
    }

    /// Surface that emits.
    fn emissive(&mut self, id: ObjectId, surface: &BsdfCall) -> Expr {
        self.mark_translated(id);
        self.surroundings(id);
        let plugin = self.object(id).plugin.as_str();
        if plugin == "directionalarea" {
            // A separate light; see `directional_area`.
            return surface.call.clone();
        }
        if plugin != "area" {
            self.unknown_plugin(id, &["area", "directionalarea"], "; the shape emits nothing");
            return surface.call.clone();
        }
        if self.has(id, "to_world") {
            let place = self.place_of(id, "to_world");
            self.say(
                Diagnostic::error("an area light has the transform of its shape, and no `to_world`"),
                place,
            );
        }
        let radiance = self.color_argument(id, "radiance", [1.0; 3], Use::Emission);
        match surface.scattering_call() {
            None => Call::new("emitter").with("radiance", radiance).finish(),
            Some(base) => Call::new("luminous").with("base", base).with("radiance", radiance).finish(),
        }
    }
}

/// Returns whether a surface bends light by an index of refraction.
fn refracts(call: &Expr) -> bool {
    const UNITS: [&str; 2] = ["glass", "principled"];
    let mut found = matches!(&call.kind, ExprKind::Call { name, .. } if UNITS.contains(&name.text.as_str()));
    call.for_each_operand(&mut |operand| found |= refracts(operand));
    found
}
