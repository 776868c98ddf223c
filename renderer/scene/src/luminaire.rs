//! Luminaires: far-field luminous intensity by direction, as goniophotometers measure it (IES LM-63).
//!
//! The direction (0, 0, −1) is the axis of a luminaire, +y is up and +x to the right, as for projectors:
//!
//! | photometry | pole | polar angle | azimuth |
//! |---|---|---|---|
//! | C | −z, the nadir | vertical angle from −z | horizontal angle from +x towards +y |
//! | B | −x | horizontal angle + 90° | vertical angle from −z towards +y |
//! | A | −y | vertical angle + 90° | horizontal angle from −z towards +x |

use std::f64::consts::TAU;
use std::hash::{Hash, Hasher};

use glam::{Mat3, Vec2, Vec3};

use renderer_base::math::{acos, atan2, cos, hypot, safe_sqrt, sin, sin_cos, sqr};

/// Luminous efficacy that converts photometric to radiometric units [lm/W].
pub const LUMENS_PER_WATT: f32 = 683.0;

/// Measured luminaire: its intensity distribution with the other data of its file.
#[derive(Clone, Debug)]
pub struct Luminaire {
    /// Edition of the standard, as a year.
    pub edition: u32,
    /// Keywords with their values, in the order of the file.
    pub keywords: Vec<(String, String)>,
    /// Coordinate system of the angles.
    pub photometry: Photometry,
    /// Symmetry of the file's planes.
    pub symmetry: Symmetry,
    /// Vertical angles of the file [degrees].
    pub vertical: Vec<f32>,
    /// Horizontal angles of the file [degrees].
    pub horizontal: Vec<f32>,
    /// Number of light sources.
    pub lamps: f32,
    /// Luminous flux of a light source [lm]; `None` for absolute photometry.
    pub lumens_per_lamp: Option<f32>,
    /// Electric power [W].
    pub watts: f32,
    /// Width (y), length (x) and height (z) of the luminous opening [m]; negative for round ones.
    pub opening: [f32; 3],
    /// Intensity distribution.
    pub web: PhotometricWeb,
}

/// Coordinate system of a goniophotometer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Photometry {
    /// Vertical planes about a vertical axis, with angles from the vertical: headlights.
    A,
    /// Planes about a horizontal axis: floodlights.
    B,
    /// Vertical planes about the vertical axis, from the nadir: luminaires of rooms and roads.
    C,
}

impl Photometry {
    /// Letter of the standard.
    pub fn name(self) -> &'static str {
        match self {
            Photometry::A => "A",
            Photometry::B => "B",
            Photometry::C => "C",
        }
    }

    /// Rotation from the space in which +z is the pole and +x the azimuth 0.
    fn light_from_polar(self) -> Mat3 {
        match self {
            Photometry::A => Mat3::from_cols(Vec3::NEG_Z, Vec3::X, Vec3::NEG_Y),
            Photometry::B => Mat3::from_cols(Vec3::NEG_Z, Vec3::Y, Vec3::NEG_X),
            Photometry::C => Mat3::from_cols(Vec3::X, Vec3::Y, Vec3::NEG_Z),
        }
    }
}

/// Symmetry of a luminaire, given by its horizontal angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// One plane: about the axis.
    Rotational,
    /// 0° to 90°: about both vertical planes.
    Quadrant,
    /// 0° to 180°: about the plane of 0° and 180°.
    Lengthwise,
    /// 90° to 270°: about the plane of 90° and 270°.
    Crosswise,
    /// 0° to 90° of type A and B: left and right are equal, and so are above and below if the vertical angles begin at
    /// 0° too.
    Lateral,
    /// Every plane is in the file.
    None,
}

impl Symmetry {
    /// Symmetry of ascending horizontal angles [degrees]; `None` if the standard has no such range.
    pub fn of(photometry: Photometry, horizontal: &[f32]) -> Option<Symmetry> {
        let range = (*horizontal.first()?, *horizontal.last()?);
        match (photometry, range) {
            (Photometry::C, (0.0, 0.0)) => Some(Symmetry::Rotational),
            (Photometry::C, (0.0, 90.0)) => Some(Symmetry::Quadrant),
            (Photometry::C, (0.0, 180.0)) => Some(Symmetry::Lengthwise),
            (Photometry::C, (90.0, 270.0)) => Some(Symmetry::Crosswise),
            // Some files leave out the last plane, which is the first.
            (Photometry::C, (0.0, last)) if last > 180.0 && last <= 360.0 => Some(Symmetry::None),
            (Photometry::A | Photometry::B, (0.0, last)) if last > 0.0 && last <= 90.0 => {
                Some(Symmetry::Lateral)
            }
            (Photometry::A | Photometry::B, (first, last))
                if first >= -90.0 && last <= 90.0 && first < last =>
            {
                Some(Symmetry::None)
            }
            _ => None,
        }
    }
}

/// Measured intensities, in a table of the vertical angles of each horizontal angle.
#[derive(Clone, Copy, Debug)]
pub struct AngularTable<'a> {
    /// Coordinate system.
    pub photometry: Photometry,
    /// Symmetry of the horizontal angles.
    pub symmetry: Symmetry,
    /// Vertical angles, ascending, at least two [degrees].
    pub vertical: &'a [f32],
    /// Horizontal angles, ascending [degrees].
    pub horizontal: &'a [f32],
    /// Intensities [cd]: all of the first horizontal angle, then all of the next.
    pub candela: &'a [f32],
}

/// Luminous intensity over all directions: bilinear in the angles of a grid without symmetry, zero outside of it.
#[derive(Clone, Debug)]
pub struct PhotometricWeb {
    light_from_polar: Mat3,
    /// Angles from the pole, ascending [rad].
    polar: Vec<f32>,
    /// Angles about the pole, ascending, over at most a full turn [rad].
    azimuth: Vec<f32>,
    /// Intensities [cd], a row of azimuths for each polar angle.
    candela: Vec<f32>,
}

/// Angle of a grid [degrees], and the index of the measured angle with the same intensities.
type Unfolded = Vec<(f32, usize)>;

/// Rounding error of an angle: directions this far outside of the grid have the intensity of its border [rad].
const ANGLE_ERROR: f32 = 2e-6;

impl PhotometricWeb {
    /// Unfolds a table by its symmetry. Memory: at most four times that of the table, and two planes.
    pub fn new(table: &AngularTable<'_>) -> PhotometricWeb {
        let measured = |angles: &[f32]| angles.iter().copied().zip(0..).collect::<Unfolded>();
        let rows = measured(table.vertical);
        let planes = unfolded(measured(table.horizontal), table.symmetry);
        let candela_at = |plane: usize, row: usize| table.candela[plane * table.vertical.len() + row];
        let quarter = |(angle, index): (f32, usize)| (angle + 90.0, index);
        // Type B is that of type A with the roles of the angles exchanged.
        let (polar, azimuth): (Unfolded, Unfolded) = match table.photometry {
            Photometry::C => (rows, planes),
            Photometry::A => (both_sides(rows).into_iter().map(quarter).collect(), planes),
            Photometry::B => (planes.into_iter().map(quarter).collect(), both_sides(rows)),
        };
        let mut candela = Vec::with_capacity(polar.len() * azimuth.len());
        for &(_, i) in &polar {
            candela.extend(azimuth.iter().map(|&(_, j)| match table.photometry {
                Photometry::A | Photometry::C => candela_at(j, i),
                Photometry::B => candela_at(i, j),
            }));
        }
        let radians = |angles: Unfolded| -> Vec<f32> {
            angles.iter().map(|&(angle, _)| f64::from(angle).to_radians() as f32).collect()
        };
        PhotometricWeb {
            light_from_polar: table.photometry.light_from_polar(),
            polar: radians(polar),
            azimuth: radians(azimuth),
            candela,
        }
    }

    /// Luminous intensity towards a unit vector in the space of the light [cd].
    pub fn candela(&self, direction: Vec3) -> f32 {
        let d = self.light_from_polar.transpose() * direction;
        let polar = atan2(hypot(d.x, d.y), d.z);
        let first = self.azimuth[0] - ANGLE_ERROR;
        let azimuth = (atan2(d.y, d.x) - first).rem_euclid(TAU as f32) + first;
        let (Some((row, t)), Some((column, s))) =
            (interval(&self.polar, polar), interval(&self.azimuth, azimuth))
        else {
            return 0.0;
        };
        let [a, b, c, d] = self.corners(column, row);
        let above = a + (b - a) * s;
        above + (c + (d - c) * s - above) * t
    }

    /// The greatest luminous intensity [cd], and its direction.
    pub fn maximum(&self) -> (f32, Vec3) {
        let brighter = |best: usize, i: usize| if self.candela[i] > self.candela[best] { i } else { best };
        let best = (0..self.candela.len()).reduce(brighter).unwrap_or(0);
        let (row, column) = (best / self.azimuth.len(), best % self.azimuth.len());
        (self.candela[best], self.direction(self.polar[row], self.azimuth[column]))
    }

    /// Luminous flux [lm].
    pub fn lumens(&self) -> f64 {
        let [columns, rows] = self.cells();
        (0..rows)
            .flat_map(|row| (0..columns).map(move |column| [column, row]))
            .map(|cell| self.cell_lumens(cell))
            .sum()
    }

    /// Number of cells between the angles: columns and rows.
    pub fn cells(&self) -> [usize; 2] {
        [self.azimuth.len() - 1, self.polar.len() - 1]
    }

    /// Luminous flux into a cell, exactly: the integral of the interpolated intensity [lm].
    pub fn cell_lumens(&self, [column, row]: [usize; 2]) -> f64 {
        let [a, b, c, d] = self.corners(column, row).map(f64::from);
        let [low, high] = [self.polar[row], self.polar[row + 1]].map(f64::from);
        let width = f64::from(self.azimuth[column + 1]) - f64::from(self.azimuth[column]);
        let (top, bottom) = (0.5 * (a + b), 0.5 * (c + d));
        // ∫ (θ − l) sin θ dθ from l to h is sin h − sin l − (h − l) cos h.
        let weight = cos(low) - cos(high);
        let rise = (sin(high) - sin(low) - (high - low) * cos(high)) / (high - low);
        (width * (top * weight + (bottom - top) * rise)).max(0.0)
    }

    /// Solid angle of a cell [sr].
    pub fn cell_solid_angle(&self, [column, row]: [usize; 2]) -> f32 {
        let [low, high] = [self.polar[row], self.polar[row + 1]].map(one_minus_cos);
        (self.azimuth[column + 1] - self.azimuth[column]) * (high - low)
    }

    /// Direction in a cell, in the space of the light, uniform in the solid angle for `u` in `[0,1)²`.
    pub fn cell_direction(&self, [column, row]: [usize; 2], u: Vec2) -> Vec3 {
        let [low, high] = [self.polar[row], self.polar[row + 1]].map(one_minus_cos);
        let [from, to] = [self.azimuth[column], self.azimuth[column + 1]];
        let below = low + (high - low) * u.y;
        let radius = safe_sqrt(below * (2.0 - below));
        let (sin, cos) = sin_cos(from + (to - from) * u.x);
        self.light_from_polar * Vec3::new(radius * cos, radius * sin, 1.0 - below)
    }

    /// Greatest angle to the axis −z at which there is light [rad].
    pub fn spread(&self) -> f32 {
        let [columns, rows] = self.cells();
        let mut spread = 0.0f32;
        for row in 0..rows {
            for column in 0..columns {
                if self.corners(column, row) == [0.0; 4] {
                    continue;
                }
                // The axis is the pole, or the cosine to it is a product of two concave functions: the greatest angle
                // in a cell is at a corner.
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let corner = self.direction(self.polar[row + i], self.azimuth[column + j]);
                    spread = spread.max(acos((-corner.z).clamp(-1.0, 1.0)));
                }
            }
        }
        spread
    }

    /// Adds the distribution to a hash.
    pub fn hash_bits(&self, hasher: &mut impl Hasher) {
        self.light_from_polar.to_cols_array().map(f32::to_bits).hash(hasher);
        for values in [&self.polar, &self.azimuth, &self.candela] {
            values.len().hash(hasher);
            values.iter().for_each(|value| value.to_bits().hash(hasher));
        }
    }

    /// Intensities at the corners of a cell: of the first polar angle, then of the next.
    fn corners(&self, column: usize, row: usize) -> [f32; 4] {
        let first = row * self.azimuth.len() + column;
        let next = first + self.azimuth.len();
        [first, first + 1, next, next + 1].map(|i| self.candela[i])
    }

    fn direction(&self, polar: f32, azimuth: f32) -> Vec3 {
        let ((sin_polar, cos_polar), (sin, cos)) = (sin_cos(polar), sin_cos(azimuth));
        self.light_from_polar * Vec3::new(sin_polar * cos, sin_polar * sin, cos_polar)
    }
}

/// Interval of ascending angles that contains `angle`, and the place within it; `None` outside.
fn interval(angles: &[f32], angle: f32) -> Option<(usize, f32)> {
    let (first, last) = (angles[0], angles[angles.len() - 1]);
    if angle < first - 2.0 * ANGLE_ERROR || angle > last + 2.0 * ANGLE_ERROR {
        return None;
    }
    let index = angles.partition_point(|&a| a <= angle).clamp(1, angles.len() - 1) - 1;
    let [low, high] = [angles[index], angles[index + 1]];
    Some((index, ((angle - low) / (high - low)).clamp(0.0, 1.0)))
}

/// 1 − cos of an angle, without cancellation.
fn one_minus_cos(angle: f32) -> f32 {
    2.0 * sqr(sin(0.5 * angle))
}

/// Planes of a full turn, or of the range of types A and B.
fn unfolded(planes: Unfolded, symmetry: Symmetry) -> Unfolded {
    match symmetry {
        Symmetry::Rotational => vec![(0.0, 0), (360.0, 0)],
        Symmetry::Quadrant => mirrored(mirrored(planes, 90.0), 180.0),
        Symmetry::Lengthwise => mirrored(planes, 180.0),
        Symmetry::Crosswise => mirrored(planes, 270.0),
        Symmetry::Lateral => both_sides(planes),
        Symmetry::None => {
            let mut planes = planes;
            if let (Some(&(first, index)), Some(&(last, _))) = (planes.first(), planes.last())
                && first == 0.0
                && last < 360.0
            {
                planes.push((360.0, index));
            }
            planes
        }
    }
}

/// Adds the mirror image about the last angle, which is `about`.
fn mirrored(angles: Unfolded, about: f32) -> Unfolded {
    let image = angles.iter().rev().skip(1).map(|&(angle, index)| (2.0 * about - angle, index));
    let image: Unfolded = image.collect();
    angles.into_iter().chain(image).collect()
}

/// Adds the mirror image about 0 of angles that begin there; returns others as they are.
fn both_sides(angles: Unfolded) -> Unfolded {
    if angles.first().is_none_or(|&(angle, _)| angle != 0.0) {
        return angles;
    }
    let image = angles.iter().skip(1).rev().map(|&(angle, index)| (-angle, index));
    image.chain(angles.iter().copied()).collect()
}
