//! Translation of `sensor` objects with `film` and `sampler`, and of `integrator`.
//!
//! Mitsuba's cameras look along +z with +x to the left, Kiln's along −z with +x to the right: a half turn about y.

use glam::{DMat4, DVec3};
use shading::syntax::ast::{Declaration, Expr};

use super::document::ObjectId;
use super::translator::Translator;
use crate::scene_value::{call, number, transform};
use renderer_base::math::atan;

const SENSORS: &[&str] = &["perspective", "thinlens", "orthographic"];
/// Integrators with the same expected picture: paths from the camera, or particles from the lights.
const INTEGRATORS: &[&str] =
    &["path", "direct", "volpath", "volpathmis", "prb", "ptracer", "aov", "moment", "depth"];
const FILTERS: &[&str] = &["box", "tent", "gaussian", "mitchell", "catmullrom", "lanczos"];

impl Translator<'_> {
    pub(super) fn sensor(&mut self, id: ObjectId, is_first: bool) {
        self.mark_translated(id);
        self.surroundings(id);
        let object = self.object(id);
        let plugin = object.plugin.as_str();
        if !SENSORS.contains(&plugin) {
            self.unknown_plugin(id, SENSORS, "; replaced by a perspective camera");
        }
        let kind = if plugin == "orthographic" { "orthographic" } else { "perspective" };
        let size = self.film(id, is_first);
        let name = self.names.unique(object.name.as_deref().unwrap_or("camera"));
        let mut camera = Declaration::named("camera", name).of_kind(kind);
        let matrix = self.placement(id);
        if kind == "orthographic" {
            // The visible area is 2 wide in the sensor's own space, for all film sizes.
            let [x, y] = [matrix.x_axis, matrix.y_axis].map(|axis| axis.length());
            camera.set("width", number(2.0 * x));
            if (x - y).abs() > 1e-6 * x {
                camera.set("height", number(2.0 * y * size[1] as f64 / size[0] as f64));
            }
        } else {
            self.field_of_view(id, &mut camera);
        }
        let world_from_camera = without_scale(matrix) * DMat4::from_scale(DVec3::new(-1.0, 1.0, -1.0));
        camera.set("transform", transform(&world_from_camera));
        if plugin == "thinlens" {
            if let Some(radius) = self.float(id, "aperture_radius") {
                camera.set("aperture_radius", number(radius));
            }
            let far = self.float(id, "far_clip").unwrap_or(1e4);
            let distance = self.float(id, "focus_distance").unwrap_or(far);
            camera.set("focus_distance", number(distance));
        }
        self.ignore(
            id,
            &["focus_distance", "aperture_radius", "shutter_open", "shutter_close", "ray_differential"],
        );
        let near = self.float(id, "near_clip").unwrap_or(1e-2);
        let far = self.float(id, "far_clip").unwrap_or(1e4);
        // The scale of an orthographic sensor applies to the distance of the near plane only.
        let start = if kind == "orthographic" {
            near * matrix.z_axis.length()
        } else {
            near
        };
        camera.set("near", number(start));
        camera.set("far", number(start + (far - near)));
        let shift = ["principal_point_offset_x", "principal_point_offset_y"]
            .map(|name| self.float(id, name).unwrap_or(0.0));
        // Mitsuba applies the offset of the principal point to pinhole cameras only.
        if shift != [0.0; 2] && plugin == "perspective" {
            camera.set("shift", shift.map(number));
        }
        self.declare(camera, object.place);
    }

    /// Translates the field of view, given as an angle or as a focal length.
    pub(super) fn field_of_view(&mut self, id: ObjectId, declaration: &mut Declaration) {
        if let Some(fov) = self.float(id, "fov") {
            let place = self.place_of(id, "fov");
            if !(fov > 0.0 && fov < 180.0) {
                self.error(place, "`fov` is to be between 0 and 180 degrees");
                return;
            }
            declaration.set("fov", number(fov));
            let axis = self.text(id, "fov_axis").unwrap_or("x").to_ascii_lowercase();
            match axis.as_str() {
                "x" | "y" | "diagonal" | "smaller" | "larger" => {
                    declaration.set("fov_axis", Expr::name(axis));
                }
                _ => {
                    let place = self.place_of(id, "fov_axis");
                    self.error(place, "`fov_axis` is `x`, `y`, `diagonal`, `smaller` or `larger`");
                }
            }
            return;
        }
        let length = match self.text(id, "focal_length") {
            None => Some(50.0),
            Some(text) => text
                .trim()
                .trim_end_matches("mm")
                .trim()
                .parse()
                .ok()
                .filter(|&length: &f64| length > 0.0),
        };
        let Some(length) = length else {
            let place = self.place_of(id, "focal_length");
            return self.error(place, "`focal_length` is a length in millimetres, such as `50mm`");
        };
        // The focal length refers to the diagonal of 36 × 24 mm film.
        let diagonal = (36.0f64 * 36.0 + 24.0 * 24.0).sqrt();
        declaration.set("fov", number(2.0 * atan(0.5 * diagonal / length).to_degrees()));
        declaration.set("fov_axis", Expr::name("diagonal"));
        self.ignore(id, &["fov_axis"]);
    }

    /// Translates the film and the sampler; those of the first sensor are used.
    fn film(&mut self, sensor: ObjectId, is_first: bool) -> [i64; 2] {
        let film = self.parts(sensor, "film").pop();
        let sampler = self.parts(sensor, "sampler").pop();
        let mut size = [768, 576];
        let mut declaration = Declaration::new("film");
        let mut filter = default_filter();
        let mut border = false;
        if let Some(film) = film {
            self.mark_translated(film);
            for (name, extent) in ["width", "height"].into_iter().zip(&mut size) {
                *extent = self.integer(film, name).unwrap_or(*extent);
                if *extent < 1 || *extent > 1 << 20 {
                    let place = self.place_of(film, name);
                    self.error(place, format!("`{name}` is to be at least 1 and at most {}", 1 << 20));
                    *extent = 1;
                }
            }
            self.crop(film, size, &mut declaration);
            border = self.boolean(film, "sample_border").unwrap_or(false);
            let names = ["file_format", "pixel_format", "component_format", "compensate", "banner"];
            self.ignore(film, &names);
            if let Some(rfilter) = self.parts(film, "rfilter").pop() {
                filter = self.filter(rfilter);
            }
        }
        declaration.set("size", size);
        declaration.set("filter", filter);
        declaration.set("border", border);
        let mut spp = 4;
        let mut seed = 0;
        if let Some(sampler) = sampler {
            self.mark_translated(sampler);
            spp = self.integer(sampler, "sample_count").unwrap_or(spp);
            seed = self.integer(sampler, "seed").unwrap_or(seed);
            self.ignore(sampler, &["jitter"]);
            if !(1..1 << 31).contains(&spp) {
                let place = self.place_of(sampler, "sample_count");
                self.error(place, "`sample_count` is to be at least 1");
            }
        }
        if is_first {
            let place = self.object(film.unwrap_or(sensor)).place;
            self.declare(declaration, place);
            let mut declaration = Declaration::new("sampler");
            declaration.set("spp", spp);
            if seed != 0 {
                declaration.set("seed", i64::from(seed as u32));
            }
            let place = self.object(sampler.unwrap_or(sensor)).place;
            self.declare(declaration, place);
        }
        size
    }

    fn crop(&mut self, film: ObjectId, size: [i64; 2], declaration: &mut Declaration) {
        let x = self.integer(film, "crop_offset_x").unwrap_or(0);
        let y = self.integer(film, "crop_offset_y").unwrap_or(0);
        let width = self.integer(film, "crop_width").unwrap_or(size[0]);
        let height = self.integer(film, "crop_height").unwrap_or(size[1]);
        if (x, y, width, height) == (0, 0, size[0], size[1]) {
            return;
        }
        let within = |at: i64, extent: i64, whole: i64| {
            at >= 0 && extent >= 1 && at.checked_add(extent).is_some_and(|end| end <= whole)
        };
        if within(x, width, size[0]) && within(y, height, size[1]) {
            declaration.set("crop", [x, y, x + width, y + height]);
        } else {
            let place = self.object(film).place;
            self.error(place, "the crop is not within the film");
        }
    }

    fn filter(&mut self, id: ObjectId) -> Expr {
        self.mark_translated(id);
        let get = |translator: &mut Self, name: &str, default: f64| {
            number(translator.float(id, name).unwrap_or(default))
        };
        match self.object(id).plugin.as_str() {
            "box" => {
                self.ignore(id, &["radius"]);
                call("box", [number(0.5)])
            }
            "tent" => call("tent", [get(self, "radius", 1.0)]),
            "gaussian" => {
                let stddev = self.float(id, "stddev").unwrap_or(0.5);
                call("gaussian", [4.0 * stddev, stddev].map(number))
            }
            "mitchell" => {
                let parameters = [get(self, "B", 1.0 / 3.0), get(self, "C", 1.0 / 3.0)];
                call("mitchell", parameters)
            }
            "catmullrom" => Expr::name("catmull_rom"),
            "lanczos" => call("lanczos", [self.integer(id, "lobes").unwrap_or(3).into()]),
            _ => {
                self.unknown_plugin(id, FILTERS, "; replaced by a Gaussian");
                default_filter()
            }
        }
    }

    pub(super) fn integrator(&mut self, id: ObjectId) {
        self.mark_translated(id);
        let plugin = self.object(id).plugin.as_str();
        match plugin {
            "aov" | "moment" | "depth" | "stokes" => {
                let place = self.object(id).place;
                self.missing(
                    place,
                    format!("Kiln has no integrator `{plugin}`; the picture is rendered by itself"),
                );
                self.ignore(id, &["aovs"]);
                if let Some(inner) = self.parts(id, "integrator").first() {
                    return self.integrator(*inner);
                }
            }
            _ if !INTEGRATORS.contains(&plugin) => {
                self.unknown_plugin(id, INTEGRATORS, "; replaced by `path`");
            }
            _ => {}
        }
        let mut declaration = Declaration::new("integrator").of_kind("path");
        let depth = if plugin == "direct" {
            Some(2)
        } else {
            self.integer(id, "max_depth").filter(|&depth| depth >= 0)
        };
        if let Some(depth) = depth {
            declaration.set("depth", depth);
        }
        if let Some(depth) = self.integer(id, "rr_depth") {
            declaration.set("rr_depth", depth.max(1));
        }
        if self.boolean(id, "hide_emitters") == Some(true) {
            declaration.set("hide_emitters", true);
        }
        let sampling = [
            "emitter_samples",
            "bsdf_samples",
            "shading_samples",
            "samples_per_pass",
            "block_size",
            "timeout",
            "version",
        ];
        self.ignore(id, &sampling);
        let place = self.object(id).place;
        self.declare(declaration, place);
    }
}

/// Mitsuba's default filter.
fn default_filter() -> Expr {
    call("gaussian", [2.0, 0.5].map(number))
}

/// Transform with normalized axes: a camera's scale only affects its film.
fn without_scale(matrix: DMat4) -> DMat4 {
    let unit = |axis: glam::DVec4| axis.truncate().normalize_or_zero().extend(0.0);
    DMat4::from_cols(unit(matrix.x_axis), unit(matrix.y_axis), unit(matrix.z_axis), matrix.w_axis)
}
