//! Graph of a scene: groups, transforms, references, cameras.

use glam::{DMat4, DVec3};
use shading::syntax::ast::Expr;

use super::reader::{Element, Reader};
use crate::scene_value::{number, triple};
use crate::xml::{self, MAX_NODES};
use renderer_base::math::sin_cos;

/// Elements that hold others and have no effect here: Kiln tessellates and splits as it needs.
const GROUPS: [&str; 7] = [
    "Group",
    "Flatten",
    "ConvertTrianglesToQuads",
    "ConvertTrianglesToTrianglesAndQuads",
    "ConvertQuadsToSubdivs",
    "ConvertBezierToLines",
    "ConvertHairToCurves",
];

impl<'a> Reader<'a> {
    pub(super) fn children(&mut self, parent: Element<'a>, world: &DMat4) {
        for child in parent.children().filter(Element::is_element) {
            self.node(child, world);
        }
    }

    /// Reads an element in a space.
    fn node(&mut self, element: Element<'a>, world: &DMat4) {
        // The maximum is set after an error.
        self.visited = self.visited.saturating_add(1);
        if self.visited > MAX_NODES as usize {
            if self.visited != usize::MAX {
                self.visited = usize::MAX;
                self.error(element, "references repeat too many elements");
            }
            return;
        }
        // The nesting depth of elements is limited only by the length of the file.
        stacker::maybe_grow(64 << 10, 1 << 20, || match element.tag_name().name() {
            "assign" => self.assign(element),
            "ref" => self.reference(element, world),
            "Transform" => self.transform(element, world),
            "PerspectiveCamera" => self.camera(element, world),
            name if GROUPS.contains(&name) => self.children(element, world),
            name if name.ends_with("Light") => self.light(element, world),
            _ => self.geometry(element, world),
        });
        if let Some(id) = element.attribute("id") {
            self.ids.entry(id).or_insert(element);
        }
    }

    /// Names a material or a part of the scene, which is not shown here.
    fn assign(&mut self, element: Element<'a>) {
        let Some((id, child)) = element.attribute("id").zip(element.first_element_child()) else {
            return self.error(element, "<assign> needs an `id` and an element");
        };
        match element.attribute("type") {
            Some("material") => {
                let name = self.material(child, id);
                self.materials.insert(id, name);
            }
            Some("scene") => {
                self.ids.insert(id, child);
            }
            _ => self.error(element, "the `type` of <assign> is `material` or `scene`"),
        }
    }

    /// A part of the scene that is before the reference.
    fn reference(&mut self, element: Element<'a>, world: &DMat4) {
        let id = element.attribute("id").unwrap_or_default();
        match self.ids.get(id).copied() {
            // A part that has references to itself would have no end.
            Some(part) if part != element && !element.ancestors().any(|outer| outer == part) => {
                self.node(part, world);
            }
            _ => self.error(element, format!("there is no element `{id}` before")),
        }
    }

    fn transform(&mut self, element: Element<'a>, world: &DMat4) {
        let steps = element.attribute("time_steps").and_then(|steps| steps.parse().ok());
        let steps = steps.unwrap_or(1).max(1);
        if steps > 1 {
            self.missing(element, "the motion of <Transform>");
        }
        let mut children = element.children().filter(Element::is_element);
        let Some(first) = children.next() else {
            return self.error(element, "<Transform> begins with <AffineSpace>");
        };
        let space = match first.tag_name().name() {
            "AffineSpace" => self.space(first).unwrap_or_default(),
            other => {
                self.missing(first, &format!("<{other}> of <Transform>"));
                DMat4::IDENTITY
            }
        };
        for child in children.skip(steps - 1) {
            self.node(child, &(*world * space));
        }
    }

    /// Transform of `<AffineSpace>`; `None` after an error.
    pub(super) fn space(&mut self, element: Element<'a>) -> Option<DMat4> {
        let read = || -> Result<Option<DMat4>, String> {
            let vector = |name: &str| element.attribute(name).map(vector_of).transpose();
            let angle = |name: &str| element.attribute(name).map(xml::number).transpose();
            let turns = [("rotate_x", DVec3::X), ("rotate_y", DVec3::Y), ("rotate_z", DVec3::Z)];
            if let Some(shift) = vector("translate")? {
                return Ok(Some(DMat4::from_translation(shift)));
            }
            if let Some(scale) = vector("scale")? {
                return Ok(Some(DMat4::from_scale(scale)));
            }
            for (name, axis) in turns {
                if let Some(degrees) = angle(name)? {
                    return Ok(Some(rotation(axis, degrees)));
                }
            }
            if let Some((degrees, axis)) = angle("angle")?.zip(vector("axis")?) {
                let point = DMat4::from_translation(vector("point")?.unwrap_or(DVec3::ZERO));
                let axis = axis.try_normalize().ok_or("the axis has no length")?;
                return Ok(Some(point * rotation(axis, degrees) * point.inverse()));
            }
            let rows = xml::numbers(element.text().unwrap_or_default())?;
            Ok(<[f64; 12]>::try_from(rows).ok().map(|rows| {
                let [a, b, c, x, d, e, f, y, g, h, i, z] = rows;
                DMat4::from_cols_array(&[a, d, g, 0.0, b, e, h, 0.0, c, f, i, 0.0, x, y, z, 1.0])
            }))
        };
        match read() {
            Ok(Some(space)) => Some(space),
            Ok(None) => {
                self.error(element, "<AffineSpace> has 12 numbers, three rows of four");
                None
            }
            Err(reason) => {
                self.error(element, reason);
                None
            }
        }
    }

    fn camera(&mut self, element: Element<'a>, world: &DMat4) {
        let vector = |name: &str| element.attribute(name).and_then(|text| vector_of(text).ok());
        let fov = element.attribute("fov").and_then(|text| xml::number(text).ok());
        let placed = vector("from").zip(vector("to")).zip(vector("up").zip(fov));
        let Some(((from, to), (up, fov))) = placed else {
            return self.error(element, "<PerspectiveCamera> needs `from`, `to`, `up` and `fov`");
        };
        let mut camera = self.named("camera", element, "camera").of_kind("perspective");
        camera.set("from", triple(world.transform_point3(from)));
        camera.set("to", triple(world.transform_point3(to)));
        camera.set("up", triple(world.transform_vector3(up)));
        camera.set("fov", number(fov));
        camera.set("fov_axis", Expr::name("y"));
        self.declare(camera, element);
    }
}

/// Rotation by degrees about a unit axis.
fn rotation(axis: DVec3, degrees: f64) -> DMat4 {
    let half = 0.5 * degrees.to_radians();
    let (sin, cos) = sin_cos(half);
    DMat4::from_quat(glam::DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos))
}

fn vector_of(text: &str) -> Result<DVec3, String> {
    let found = <[f64; 3]>::try_from(xml::numbers(text)?);
    found.map(DVec3::from).map_err(|_| format!("`{text}` is not three numbers"))
}
