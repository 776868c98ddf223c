//! Translation of `emitter` objects, except area lights of shapes.
//!
//! The orientation of environment maps is stated at [`Translator::envmap`].

use glam::{DMat3, DMat4, DVec3};
use shading::Diagnostic;
use shading::syntax::ast::{Declaration, Expr};

use super::color::Use;
use super::document::ObjectId;
use super::mesh::{MAX_STRETCH, stretches};
use super::translator::Translator;
use crate::scene_value::{number, transform, triple};

const EMITTERS: &[&str] = &[
    "area",
    "constant",
    "directional",
    "directionalarea",
    "envmap",
    "point",
    "projector",
    "sky",
    "spot",
    "sun",
    "sunsky",
];

impl Translator<'_> {
    pub(super) fn emitter(&mut self, id: ObjectId) {
        self.mark_translated(id);
        self.surroundings(id);
        let object = self.object(id);
        let plugin = object.plugin.as_str();
        let kind = match plugin {
            "constant" | "envmap" => "environment",
            "point" | "spot" | "directional" | "projector" => plugin,
            "sky" | "sun" | "sunsky" => "sky",
            // A definition that shapes refer to.
            "area" | "directionalarea" if self.document.is_part_of_shape(id) => return,
            "area" | "directionalarea" => {
                let message = format!("an emitter of type `{plugin}` is part of a shape");
                return self.error(object.place, message);
            }
            _ => return self.unknown_plugin(id, EMITTERS, "; it is left out"),
        };
        let name = self.names.unique(object.name.as_deref().unwrap_or(plugin));
        let mut light = Declaration::named("light", name).of_kind(kind);
        match plugin {
            "constant" => light.set("color", self.color_argument(id, "radiance", [1.0; 3], Use::Emission)),
            "envmap" => self.envmap(id, &mut light),
            "point" => {
                let position = self.vector(id, "position");
                let position = position.unwrap_or_else(|| self.placement(id).w_axis.truncate());
                light.set("position", triple(position));
                light.set("intensity", self.color_argument(id, "intensity", [1.0; 3], Use::Emission));
            }
            "spot" => self.spot(id, &mut light),
            "sky" | "sun" | "sunsky" => self.sky(id, &mut light),
            "directional" => {
                let along_z = self.placement(id).z_axis.truncate();
                let direction = self.vector(id, "direction").unwrap_or(along_z);
                if direction.length_squared() > 0.0 {
                    light.set("direction", triple(direction));
                } else {
                    let place = self.place_of(id, "direction");
                    self.error(place, "`direction` has no length");
                }
                light.set("irradiance", self.color_argument(id, "irradiance", [1.0; 3], Use::Emission));
                // In Mitsuba a scale in `to_world` multiplies the irradiance.
                let scale = along_z.length();
                if (scale - 1.0).abs() > 1e-6 {
                    light.set("scale", number(scale));
                }
            }
            _ => self.projector(id, &mut light),
        }
        self.ignore(id, &["sampling_weight", "bounds", "bsphere"]);
        self.declare(light, object.place);
    }

    /// Translates an environment map. In its own space, as in Kiln's, Mitsuba's map has +y up and its centre column at
    /// +z, and its columns run in the same direction.
    fn envmap(&mut self, id: ObjectId, light: &mut Declaration) {
        if let Some(file) = self.image_file(id, "filename") {
            light.set("map", Expr::string(file));
            light.set("rows", Expr::name("poles"));
        }
        if let Some(scale) = self.float(id, "scale") {
            light.set("scale", number(scale));
        }
        let matrix = self.placement(id);
        let place = self.place_of(id, "to_world");
        let scale = matrix.x_axis.truncate().length();
        if (scale - 1.0).abs() > MAX_STRETCH || stretches(&matrix, MAX_STRETCH) {
            let message = "`to_world` scales this map, which bends it in Mitsuba: Kiln turns it alone";
            self.say(Diagnostic::warning(message), place);
        }
        if matrix != DMat4::IDENTITY {
            light.set("rotate", transform(&rotation_part(matrix)));
        }
        self.ignore(id, &["mis_compensation"]);
    }

    fn spot(&mut self, id: ObjectId, light: &mut Declaration) {
        let matrix = self.placement(id);
        self.warn_of_stretching(id, &matrix);
        light.set("position", triple(matrix.w_axis.truncate()));
        light.set("direction", triple(matrix.z_axis.truncate().normalize_or(DVec3::Z)));
        light.set("intensity", self.color_argument(id, "intensity", [1.0; 3], Use::Emission));
        let cutoff = self.float(id, "cutoff_angle").unwrap_or(20.0);
        light.set("cutoff", number(cutoff));
        light.set("beam_width", number(self.float(id, "beam_width").unwrap_or(0.75 * cutoff)));
        if self.projector_texture(id, light, matrix.determinant() < 0.0) {
            // The first row of the image is at the bottom.
            light.set("up", triple(-matrix.y_axis.truncate()));
        }
    }

    /// Warns of a transform that changes the angles of a cone or of a picture.
    fn warn_of_stretching(&mut self, id: ObjectId, matrix: &DMat4) {
        if stretches(matrix, MAX_STRETCH) {
            let place = self.place_of(id, "to_world");
            self.missing(place, "`to_world` stretches this light, which shines in Kiln as if it did not");
        }
    }

    /// Translates a light's picture, and returns whether there is one. `is_mirrored` exchanges left and right.
    fn projector_texture(&mut self, id: ObjectId, light: &mut Declaration, is_mirrored: bool) -> bool {
        let textures = self.parts(id, "texture");
        let Some(&texture) = textures.first() else {
            return false;
        };
        self.mark_translated(texture);
        if self.object(texture).plugin != "bitmap" {
            let place = self.object(texture).place;
            self.missing(place, "Kiln's lights shine through images only: this one shines evenly");
            return false;
        }
        let Some(file) = self.image_file(texture, "filename") else {
            return false;
        };
        light.set("map", Expr::string(file));
        match self.text(texture, "wrap_mode").unwrap_or("repeat") {
            "clamp" => {}
            "mirror" => light.set("wrap", Expr::name("mirror")),
            _ => light.set("wrap", Expr::name("repeat")),
        }
        if self.is_nearest(texture, "bilinear") {
            light.set("interpolation", Expr::name("closest"));
        }
        if self.has(texture, "to_uv") || is_mirrored {
            let rows = self.coordinate_rows(texture);
            let [s, t] = if is_mirrored { rows.map(from_the_right) } else { rows };
            light.set("s_of_uv", triple(s));
            light.set("t_of_uv", triple(t));
        }
        if self.boolean(texture, "raw") == Some(true) {
            light.set("colorspace", Expr::name("raw"));
        }
        self.ignore(texture, &["format", "accel"]);
        true
    }

    fn projector(&mut self, id: ObjectId, light: &mut Declaration) {
        let matrix = self.placement(id);
        self.warn_of_stretching(id, &matrix);
        // Mitsuba's projector shines along +z with +x to the left, as its sensors see.
        let turned = matrix * DMat4::from_scale(DVec3::new(-1.0, 1.0, -1.0));
        light.set("transform", transform(&turned));
        if !self.projector_texture(id, light, false) {
            // A constant texture gives a uniform square.
            let irradiance = self.color_argument(id, "irradiance", [1.0; 3], Use::Emission);
            light.set("color", irradiance);
        }
        // In Mitsuba a scale along z in `to_world` makes the projector brighter by the same factor.
        let scale = self.float(id, "scale").unwrap_or(1.0);
        light.set("scale", number(scale * matrix.z_axis.truncate().length()));
        self.field_of_view(id, light);
    }
}

/// Row of a texture coordinate transform, applied to `(1 - u, v, 1)` instead of `(u, v, 1)`.
fn from_the_right(row: DVec3) -> DVec3 {
    DVec3::new(-row.x, row.y, row.z + row.x)
}

/// Rotation of a transform, including a reflection; if the transform is skewed, the rotation of its x and y axes.
fn rotation_part(matrix: DMat4) -> DMat4 {
    let linear = DMat3::from_mat4(matrix);
    let x = linear.x_axis.normalize();
    let y = linear.y_axis.reject_from_normalized(x).normalize();
    let z = x.cross(y) * linear.determinant().signum();
    DMat4::from_mat3(DMat3::from_cols(x, y, z))
}
