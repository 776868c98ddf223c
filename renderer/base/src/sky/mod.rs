//! The Hosek-Wilkie clear-sky model: radiance of the sky dome and the sun.
//!
//! - The sky is Hosek & Wilkie 2012, "An Analytic Model for Full Spectral Sky-Dome Radiance", the sun Hosek & Wilkie 2013,
//!   "Adding a Solar-Radiance Function to the Hosek–Wilkie Skylight Model", both from their tables, as Mitsuba 3's RGB
//!   variants evaluate them: radiance in W/sr/m²/nm, weighted so that 1 at every wavelength has luminance 1.
//! - Tables are linear in turbidity and albedo. Between elevations of the sun the sky follows Bézier curves over the cube
//!   root of the elevation, the sun straight lines.
//! - There is no light from below the horizon, and none at all if the sun is below it.
//! - Colours outside of Rec.709 are clamped.

pub mod position;
mod tables;

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{Mat3, Quat, Vec3};

use crate::color::Rgb;
use crate::math::{cbrt, cos, exp, pow, sin, sin_cos};
use tables::{COEFFICIENTS, ELEVATIONS, SKY, SUN, SUN_ELEVATIONS, TURBIDITIES};

/// Angular diameter of the sun [degrees].
pub const SUN_ANGLE: f32 = 0.5358;

/// Range of turbidities of the model: 1 for pure air, 3 for clear air, 10 for haze.
pub const TURBIDITY: (f64, f64) = (1.0, 10.0);

/// A sky with the sun at a fixed position.
#[derive(Clone, Copy, Debug)]
pub struct Sky {
    /// Towards the sun, unit length.
    sun: Vec3,
    /// Towards the zenith, unit length.
    up: Vec3,
    turbidity: f32,
    /// The model's coefficients and radiance for each channel.
    channels: [[f32; COEFFICIENTS]; 3],
}

impl Sky {
    /// The sky above ground of the given albedo, each channel in `[0,1]`. `sun` and `up` are unit vectors; the
    /// turbidity is clamped to [`TURBIDITY`].
    pub fn new(turbidity: f32, albedo: Rgb, sun: Vec3, up: Vec3) -> Sky {
        let turbidity = turbidity.clamp(TURBIDITY.0 as f32, TURBIDITY.1 as f32);
        let mut sky = Sky { sun, up, turbidity, channels: [[0.0; COEFFICIENTS]; 3] };
        let weights = bezier_weights(sky.elevation());
        let (low, t) = between(turbidity - 1.0, TURBIDITIES);
        let albedo = albedo.to_array();
        for (channel, coefficients) in sky.channels.iter_mut().enumerate() {
            for (i, coefficient) in coefficients.iter_mut().enumerate() {
                for (point, weight) in weights.iter().enumerate() {
                    let at = |turbidity: usize, albedo: usize| SKY[turbidity][albedo][point][channel][i];
                    let [dark, bright] = [0, 1].map(|albedo| lerp(at(low, albedo), at(low + 1, albedo), t));
                    *coefficient += weight * lerp(dark, bright, albedo[channel]);
                }
            }
        }
        sky
    }

    /// The angle of the sun above the horizon [radians].
    fn elevation(&self) -> f32 {
        FRAC_PI_2 - self.up.angle_between(self.sun)
    }

    /// Towards the sun, unit length.
    pub fn sun(&self) -> Vec3 {
        self.sun
    }

    /// Returns whether the sun is above the horizon.
    pub fn is_day(&self) -> bool {
        self.up.dot(self.sun) >= 0.0
    }

    /// The radiance of the sky, without its sun, from the unit vector `direction`.
    pub fn radiance(&self, direction: Vec3) -> Rgb {
        let height = direction.dot(self.up);
        if height < 0.0 || !self.is_day() {
            return Rgb::BLACK;
        }
        let gamma = self.sun.angle_between(direction);
        let cos_gamma = cos(gamma);
        Rgb::from(self.channels.map(|[a, b, c, d, e, f, g, i, h, mean]| {
            let towards_horizon = 1.0 + a * exp(b / (height + 0.01));
            let aureole = (1.0 + cos_gamma * cos_gamma) / pow(1.0 + h * h - 2.0 * h * cos_gamma, 1.5);
            let about_sun =
                c + d * exp(e * gamma) + f * cos_gamma * cos_gamma + g * aureole + i * height.sqrt();
            (towards_horizon * about_sun * mean / WATTS).max(0.0)
        }))
    }

    /// Rotation from +y to the zenith.
    pub fn world_from_map(&self) -> Mat3 {
        Mat3::from_quat(Quat::from_rotation_arc(Vec3::Y, self.up))
    }

    /// The sky without its sun as a latitude-longitude map in the space of [`Sky::world_from_map`], row-major, twice as
    /// wide as high, row 0 at the zenith.
    pub fn map(&self, height: usize) -> Vec<Rgb> {
        let world_from_map = self.world_from_map();
        let texel = |i: usize| {
            let (x, y) = (i % (2 * height), i / (2 * height));
            let (sin_phi, cos_phi) = sin_cos(PI * (x as f32 + 0.5) / height as f32);
            let (sin_theta, cos_theta) = sin_cos(PI * (y as f32 + 0.5) / height as f32);
            self.radiance(world_from_map * Vec3::new(sin_phi * sin_theta, cos_theta, -cos_phi * sin_theta))
        };
        (0..2 * height * height).map(texel).collect()
    }

    /// Mean radiance of a sun of the solid angle `solid_angle` [sr]; the irradiance does not depend on the angle.
    pub fn sun_radiance(&self, solid_angle: f32) -> Rgb {
        if !self.is_day() {
            return Rgb::BLACK;
        }
        let (low, t) = between(self.turbidity - 1.0, TURBIDITIES);
        let (row, s) = between((self.elevation().to_degrees() - 2.0) / 3.0, SUN_ELEVATIONS);
        let channel = |c: usize| {
            let [thin, thick] = [low, low + 1].map(|turbidity| {
                let elevations = &SUN[turbidity];
                lerp(elevations[row][c], elevations[row + 1][c], s)
            });
            (lerp(thin, thick, t) / solid_angle).max(0.0)
        };
        Rgb::new(channel(0), channel(1), channel(2))
    }
}

/// Luminance of radiance 1 at every wavelength [W/sr/m²/nm]: the assumed integral of the colour-matching function y.
const WATTS: f32 = 106.750_26;

/// Solid angle of a disk by its angular diameter [sr].
pub fn disk_solid_angle(radians: f32) -> f32 {
    2.0 * TAU * sin(0.25 * radians).powi(2)
}

fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// The entry below `x` of a table of `n` entries, and the fractional offset from it.
fn between(x: f32, n: usize) -> (usize, f32) {
    let x = x.clamp(0.0, (n - 1) as f32);
    let index = (x as usize).min(n - 2);
    (index, x - index as f32)
}

/// Bernstein polynomials of degree 5 for the elevation of the sun [radians].
fn bezier_weights(elevation: f32) -> [f32; ELEVATIONS] {
    const BINOMIALS: [f32; ELEVATIONS] = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
    let x = cbrt(elevation.max(0.0) / FRAC_PI_2).min(1.0);
    let degree = ELEVATIONS as i32 - 1;
    let mut k = 0..;
    BINOMIALS.map(|binomial| {
        let k = k.next().unwrap_or_default();
        binomial * x.powi(k) * (1.0 - x).powi(degree - k)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sky with reference values: two directions with their radiance, and the radiance of the sun.
    struct Case {
        turbidity: f32,
        albedo: [f32; 3],
        sun: [f32; 3],
        seen: [([f32; 3], [f32; 3]); 2],
        sun_radiance: [f32; 3],
    }

    // Mitsuba 3.9.1, `scalar_rgb`: `eval` of `sunsky`, once without its sun and once without its sky, with axes turned
    // from z up to y up: (x, y, z) here is (x, -z, y) there.
    const CASES: [Case; 6] = [
        Case {
            turbidity: 1.0,
            albedo: [0.0, 0.0, 0.0],
            sun: [0.346174, 0.932039, -0.107084],
            seen: [
                ([0.609864, 0.644, 0.461877], [0.0250194, 0.050554, 0.107049]),
                ([0.09634, 0.787, -0.609385], [0.0209169, 0.042184, 0.0938021]),
            ],
            sun_radiance: [22628.5, 19113.7, 14909.2],
        },
        Case {
            turbidity: 3.0,
            albedo: [0.3, 0.3, 0.3],
            sun: [0.28196, 0.783327, -0.553983],
            seen: [
                ([0.65835, 0.335, 0.674056], [0.0536003, 0.0948464, 0.169146]),
                ([0.429456, 0.055, 0.901412], [0.138025, 0.193272, 0.250105]),
            ],
            sun_radiance: [21635.5, 17953.8, 13538.3],
        },
        Case {
            turbidity: 10.0,
            albedo: [1.0, 1.0, 1.0],
            sun: [-0.70307, 0.479426, -0.525209],
            seen: [
                ([-0.578474, 0.807, -0.118825], [0.2307, 0.231169, 0.209791]),
                ([-0.166829, 0.338, -0.926242], [0.333023, 0.31059, 0.270919]),
            ],
            sun_radiance: [8847.4, 6358.78, 4370.24],
        },
        Case {
            turbidity: 2.6,
            albedo: [0.1, 0.5, 0.9],
            sun: [-0.650378, 0.099833, 0.753022],
            seen: [
                ([-0.899546, 0.292, -0.324891], [0.037464, 0.0524518, 0.0589034]),
                ([-0.801612, 0.529, 0.278526], [0.0321452, 0.0428926, 0.0510906]),
            ],
            sun_radiance: [10922.1, 5267.6, 976.908],
        },
        Case {
            turbidity: 7.3,
            albedo: [0.8, 0.2, 0.05],
            sun: [0.050129, 0.997495, 0.049908],
            seen: [
                ([0.023455, 0.996, 0.08622], [0.588552, 0.533969, 0.465285]),
                ([0.765542, 0.641, 0.055357], [0.106125, 0.110099, 0.135812]),
            ],
            sun_radiance: [19648.8, 16423.2, 13075.5],
        },
        Case {
            turbidity: 5.0,
            albedo: [0.4, 0.4, 0.4],
            sun: [0.959738, 0.029996, 0.27929],
            seen: [
                ([0.517549, 0.255, -0.816773], [0.0299295, 0.028429, 0.0212624]),
                ([0.745638, 0.632, -0.211186], [0.0195936, 0.0198688, 0.0185783]),
            ],
            sun_radiance: [1013.49, 242.471, -14.4747],
        },
    ];

    fn near(found: Rgb, expected: [f32; 3], tolerance: f32) -> bool {
        let pairs = found.to_array().into_iter().zip(expected);
        pairs.into_iter().all(|(a, b)| (a - b.max(0.0)).abs() <= tolerance * b.abs())
    }

    #[test]
    fn skies_are_those_of_mitsuba() {
        for case in &CASES {
            let sun = Vec3::from(case.sun).normalize();
            let sky = Sky::new(case.turbidity, Rgb::from(case.albedo), sun, Vec3::Y);
            for (direction, expected) in case.seen {
                let found = sky.radiance(Vec3::from(direction).normalize());
                assert!(near(found, expected, 1e-3), "{found:?}, not {expected:?}");
            }
            let found = sky.sun_radiance(disk_solid_angle(SUN_ANGLE.to_radians()));
            let expected = case.sun_radiance;
            // The cosine of half the sun's angle has few digits in the `f32` of Mitsuba.
            assert!(near(found, expected, 3e-3), "sun {found:?}, not {expected:?}");
        }
    }

    #[test]
    fn a_wide_sun_sends_no_more_than_a_narrow_one() {
        let sky = Sky::new(3.0, Rgb::splat(0.3), Vec3::new(0.6, 0.8, 0.0), Vec3::Y);
        let [narrow, wide] = [0.5f32, 5.0].map(|degrees| {
            let solid_angle = disk_solid_angle(degrees.to_radians());
            sky.sun_radiance(solid_angle).g * solid_angle
        });
        assert!((narrow / wide - 1.0).abs() < 1e-5);
    }

    #[test]
    fn there_is_no_light_below_the_horizon() {
        let day = Sky::new(3.0, Rgb::WHITE, Vec3::Y, Vec3::Y);
        assert!(day.is_day() && day.radiance(Vec3::Y).b > 0.0);
        assert_eq!(day.radiance(Vec3::new(0.8, -0.6, 0.0)), Rgb::BLACK);
        let night = Sky::new(3.0, Rgb::WHITE, Vec3::new(0.8, -0.6, 0.0), Vec3::Y);
        assert_eq!(night.radiance(Vec3::Y), Rgb::BLACK);
        assert_eq!(night.sun_radiance(1e-4), Rgb::BLACK);
        // Where the tables end there is a number still.
        for sun in [Vec3::X, Vec3::Y, Vec3::new(1.0, 1e-6, 0.0).normalize()] {
            let sky = Sky::new(10.0, Rgb::BLACK, sun, Vec3::Y);
            for direction in [Vec3::X, Vec3::Y, Vec3::Z] {
                assert!(sky.radiance(direction).is_finite(), "{sun:?} {direction:?}");
            }
        }
    }
}
