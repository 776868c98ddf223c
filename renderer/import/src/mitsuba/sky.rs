//! Translation of `sunsky`, `sky` and `sun`. The zenith is +z in the emitter's own space.

use glam::{DMat3, DVec3};
use shading::syntax::ast::Declaration;

use super::color::Use;
use super::document::ObjectId;
use super::translator::Translator;
use crate::scene_value::{number, triple};
use renderer_base::sky::position::{GeoLocation, Moment, sun_position};

const TIMES: &[&str] =
    &["latitude", "longitude", "timezone", "year", "month", "day", "hour", "minute", "second"];

impl Translator<'_> {
    pub(super) fn sky(&mut self, id: ObjectId, light: &mut Declaration) {
        let world_from_sky = DMat3::from_mat4(self.placement(id));
        let sun = match self.vector(id, "sun_direction") {
            // In world space, independent of `to_world`.
            Some(direction) => direction.normalize_or(DVec3::Z),
            None => (world_from_sky * self.sun_by_time(id)).normalize_or(DVec3::Z),
        };
        self.ignore(id, TIMES);
        light.set("sun_direction", triple(sun));
        light.set("up", triple((world_from_sky * DVec3::Z).normalize_or(DVec3::Y)));
        let turbidity = self.float(id, "turbidity").unwrap_or(3.0);
        if !(1.0..=10.0).contains(&turbidity) {
            let place = self.place_of(id, "turbidity");
            self.error(place, "`turbidity` is to be between 1 and 10");
        }
        light.set("turbidity", number(turbidity));
        light.set("albedo", self.color_argument(id, "albedo", [0.3; 3], Use::Reflectance));
        let plugin = self.object(id).plugin.as_str();
        for (key, other) in [("sky_scale", "sun"), ("sun_scale", "sky")] {
            let scale = self.float(id, key).or(self.float(id, "scale")).unwrap_or(1.0);
            let scale = if plugin == other { 0.0 } else { scale };
            if scale < 0.0 {
                let place = self.place_of(id, key);
                self.error(place, format!("`{key}` is not to be negative"));
            }
            light.set(key, number(scale));
        }
        if let Some(angle) = self.float(id, "sun_aperture") {
            light.set("sun_angle", number(angle));
        }
        self.ignore(id, &["complex_sun"]);
    }

    /// Direction of the sun at the given time and place.
    fn sun_by_time(&mut self, id: ObjectId) -> DVec3 {
        let mut get = |name: &str, default: f64| self.float(id, name).unwrap_or(default);
        let place = GeoLocation {
            latitude: get("latitude", 35.6894),
            longitude: get("longitude", 139.6917),
        };
        let moment = Moment {
            year: get("year", 2010.0) as i32,
            month: get("month", 7.0) as i32,
            day: get("day", 10.0) as i32,
            hours: get("hour", 15.0) + get("minute", 0.0) / 60.0 + get("second", 0.0) / 3600.0,
            timezone: get("timezone", 9.0),
        };
        sun_position(moment, place).mitsuba_direction().as_dvec3()
    }
}
