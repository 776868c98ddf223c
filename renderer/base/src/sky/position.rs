//! Sun position by time and geographic location.

use std::f64::consts::PI;

use glam::Vec3;

use crate::math::{acos, asin, atan2, cos, sin, sin_cos, tan};

/// Date and local time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Year.
    pub year: i32,
    /// Month, from 1.
    pub month: i32,
    /// Day, from 1.
    pub day: i32,
    /// Hours since midnight, with fractions.
    pub hours: f64,
    /// Hours that local time is ahead of universal time.
    pub timezone: f64,
}

/// Geographic location.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoLocation {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

/// Position of the sun in the sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunPosition {
    /// Angle from the zenith [radians].
    pub zenith: f64,
    /// Angle from north over east [radians].
    pub azimuth: f64,
}

impl SunPosition {
    /// The direction towards the sun, with +x to the east, +y up and +z to the south.
    pub fn direction(self) -> Vec3 {
        let (sin, cos) = sin_cos(self.zenith);
        let (east, north) = sin_cos(self.azimuth);
        glam::DVec3::new(sin * east, cos, -sin * north).as_vec3()
    }

    /// The direction in which Mitsuba's `sunsky` has the sun before `to_world`: +z up, +x to the south, +y to the west.
    pub fn mitsuba_direction(self) -> Vec3 {
        let direction = self.direction();
        Vec3::new(direction.z, -direction.x, direction.y)
    }
}

/// The radius of the Earth over its distance from the sun.
const PARALLAX: f64 = 6371.01 / 149_597_890.0;

/// Returns the position of the sun at a time and place.
// Blanco-Muriel et al. 2001, "Computing the Solar Vector", Solar Energy 70.
pub fn sun_position(moment: Moment, place: GeoLocation) -> SunPosition {
    let hours = moment.hours - moment.timezone;
    let days = days_since_2000(moment, hours);

    let omega = 2.1429 - 0.001_039_459_4 * days;
    let longitude = 4.895_063_0 + 0.017_202_791_698 * days;
    let anomaly = 6.240_060_0 + 0.017_201_969_9 * days;
    let longitude = longitude + 0.033_416_07 * sin(anomaly) + 0.000_348_94 * sin(2.0 * anomaly)
        - 0.000_113_4
        - 0.000_020_3 * sin(omega);
    let obliquity = 0.409_092_8 - 6.2140e-9 * days + 0.000_039_6 * cos(omega);

    let right_ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude));
    let declination = asin(sin(obliquity) * sin(longitude));

    let sidereal_hours = 6.697_424_324_2 + 0.065_709_828_3 * days + hours;
    let hour_angle = (sidereal_hours * 15.0 + place.longitude).to_radians() - right_ascension;
    let (sin_latitude, cos_latitude) = sin_cos(place.latitude.to_radians());
    let cos_zenith = cos_latitude * cos(hour_angle) * cos(declination) + sin(declination) * sin_latitude;
    let zenith = acos(cos_zenith.clamp(-1.0, 1.0));
    let azimuth = atan2(
        -sin(hour_angle),
        tan(declination) * cos_latitude - sin_latitude * cos(hour_angle),
    );
    SunPosition {
        zenith: zenith + PARALLAX * sin(zenith),
        azimuth: azimuth.rem_euclid(2.0 * PI),
    }
}

/// Days since noon of 1 January 2000, universal time. As Mitsuba, uses Julian days in `f32`, with a resolution of a
/// quarter of a day (up to 0.25° of the sun), so that shadows match.
fn days_since_2000(moment: Moment, hours: f64) -> f64 {
    let Moment { year, month, day, .. } = moment;
    let [year, month, day] = [year, month, day].map(i64::from);
    // Fliegel & Van Flandern 1968, with division towards zero.
    let late = (month - 14) / 12;
    let number = (1461 * (year + 4800 + late)) / 4 + (367 * (month - 2 - 12 * late)) / 12
        - (3 * ((year + 4900 + late) / 100)) / 4
        + day
        - 32075;
    let julian = number as f32 - 0.5 + hours as f32 / 24.0;
    f64::from(julian - 2_451_545.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Mitsuba 3.9.1, `scalar_rgb`: `sun_direction` of `sunsky` by `mi.traverse`; first its defaults, Tokyo.
    #[test]
    fn suns_stand_where_mitsuba_has_them() {
        for (latitude, longitude, timezone, (year, month, day), hours, expected) in [
            (35.6894, 139.6917, 9.0, (2010, 7, 10), 15.0, [0.051_385, 0.691_748, 0.720_308]),
            (47.4, 8.5, 1.0, (2024, 6, 21), 15.5, [0.204_004, 0.654_65, 0.727_884]),
            (
                -33.9,
                151.2,
                10.0,
                (2023, 12, 3),
                8.0 + 20.5 / 60.0,
                [-0.013_771, -0.720_906, 0.692_896],
            ),
            (51.5, -0.1, 0.0, (2025, 1, 15), 10.0, [0.839_626, -0.501_156, 0.209_455]),
        ] {
            let moment = Moment { year, month, day, hours, timezone };
            let found = sun_position(moment, GeoLocation { latitude, longitude }).mitsuba_direction();
            let off = found.angle_between(Vec3::from(expected)).to_degrees();
            assert!(off < 0.05, "{found:?} is {off} degrees from {expected:?}");
        }
    }

    #[test]
    fn the_morning_sun_is_in_the_east() {
        let moment = Moment { year: 2025, month: 3, day: 20, hours: 7.0, timezone: 0.0 };
        let place = GeoLocation { latitude: 51.5, longitude: 0.0 };
        let direction = sun_position(moment, place).direction();
        assert!(direction.x > 0.9 && direction.y > 0.0 && direction.z > 0.0, "{direction:?}");
    }
}
