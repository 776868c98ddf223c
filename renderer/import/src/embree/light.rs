//! Lights, which emit along +z of their space.

use std::f64::consts::PI;

use glam::{DMat4, DVec3, Vec3};
use shading::syntax::ast::{Declaration, Expr};

use super::array::child;
use super::reader::{Element, Reader};
use crate::call::Call;
use crate::scene_value::{color, number, transform, triple};
use renderer_base::math::sin_cos;
use renderer_geometry::Mesh;

/// Name of the first light with an area.
pub(super) const AREA: &str = "area light";

impl<'a> Reader<'a> {
    pub(super) fn light(&mut self, element: Element<'a>, world: &DMat4) {
        // Errors have been reported.
        let _ = self.declare_light(element, world);
    }

    fn declare_light(&mut self, element: Element<'a>, world: &DMat4) -> Option<()> {
        let name = element.tag_name().name();
        let space = match child(element, "AffineSpace") {
            Some(space) => *world * self.space(space)?,
            None => *world,
        };
        let light = |reader: &mut Self, kind: &str| reader.named("light", element, "light").of_kind(kind);
        let axis = || triple(space.transform_vector3(DVec3::Z));
        let position = || triple(space.transform_point3(DVec3::ZERO));
        let declaration = match name {
            "AmbientLight" => {
                let radiance = self.color(element, "L")?;
                set(light(self, "environment"), [("color", color(radiance))])
            }
            "DirectionalLight" => {
                let irradiance = self.color(element, "E")?;
                set(
                    light(self, "directional"),
                    [("direction", axis()), ("irradiance", color(irradiance))],
                )
            }
            "DistantLight" => {
                let (radiance, half) = (self.color(element, "L")?, self.number(element, "halfAngle")?);
                let (sin, _) = sin_cos(half.to_radians());
                let irradiance = radiance.map(|radiance| radiance * PI * sin * sin);
                let values =
                    [("direction", axis()), ("irradiance", color(irradiance)), ("angle", number(2.0 * half))];
                set(light(self, "directional"), values)
            }
            "PointLight" => {
                let intensity = self.color(element, "I")?;
                set(
                    light(self, "point"),
                    [("position", position()), ("intensity", color(intensity))],
                )
            }
            "SpotLight" => {
                let intensity = self.color(element, "I")?;
                let angles = (self.number(element, "angleMin")?, self.number(element, "angleMax")?);
                let values = [
                    ("position", position()),
                    ("direction", axis()),
                    ("intensity", color(intensity)),
                    ("beam_width", number(angles.0)),
                    ("cutoff", number(angles.1)),
                ];
                set(light(self, "spot"), values)
            }
            "QuadLight" | "TriangleLight" => return self.area_light(element, &space),
            _ => {
                self.missing(element, &format!("<{name}>"));
                return None;
            }
        };
        self.declare(declaration, element);
        Some(())
    }

    /// A unit square, or its half, that emits along +z.
    fn area_light(&mut self, element: Element<'a>, space: &DMat4) -> Option<()> {
        let radiance = self.color(element, "L")?;
        let triangles: &[[u32; 3]] = match element.tag_name().name() {
            "QuadLight" => &[[0, 1, 2], [0, 2, 3]],
            _ => &[[0, 1, 3]],
        };
        let positions = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        let mesh = Mesh::new(positions.to_vec(), triangles.to_vec()).ok()?;
        let file = self.mesh_file(mesh, "light");
        let shape = self.named("shape", element, AREA).of_kind("mesh");
        let emitter = Call::new("emitter").with("radiance", color(radiance)).finish();
        let values = [("file", Expr::string(file)), ("transform", transform(space)), ("material", emitter)];
        self.declare(set(shape, values), element);
        Some(())
    }
}

/// Sets the keys of a declaration.
fn set<const N: usize>(mut declaration: Declaration, values: [(&str, Expr); N]) -> Declaration {
    for (key, value) in values {
        declaration.set(key, value);
    }
    declaration
}
