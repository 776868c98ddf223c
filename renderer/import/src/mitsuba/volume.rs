//! Translation of `volume` objects: values in space, constant or of a grid in a file.
//!
//! Mitsuba's grids are in the unit cube of their own space, those of its versions before 2 in the box of the file. Kiln
//! looks up files in the box of the file, so that a point of the world is taken there.

use glam::{DMat4, DVec3};
use shading::syntax::ast::{Argument, BinaryOp, Expr};

use super::color::Use;
use super::document::{ObjectId, PropertyValue};
use super::translator::Translator;
use crate::scene_value::{call, color, number};
use renderer_grid::{GridFile, VolBox};

const VOLUMES: &[&str] = &["constvolume", "gridvolume"];

/// A value in space.
pub(super) struct Volume {
    pub(super) value: VolumeValue,
    /// Transform from world space to the unit cube that a medium of it is in.
    pub(super) cube: DMat4,
    /// True if a lookup is zero outside of the cube.
    pub(super) ends: bool,
}

pub(super) enum VolumeValue {
    /// Constant.
    Constant([f64; 3]),
    /// A lookup.
    Grid(Expr),
}

/// Value of a volume outside of its box.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outside {
    /// Zero.
    Nothing,
    /// By the wrap mode.
    Wrapped,
}

impl Volume {
    pub(super) fn constant(rgb: [f64; 3]) -> Volume {
        Volume {
            value: VolumeValue::Constant(rgb),
            cube: DMat4::IDENTITY,
            ends: false,
        }
    }

    /// The value times a number.
    pub(super) fn scaled(self, scale: f64) -> Volume {
        let value = match self.value {
            VolumeValue::Constant(rgb) => VolumeValue::Constant(rgb.map(|channel| channel * scale)),
            VolumeValue::Grid(lookup) if scale != 1.0 => {
                VolumeValue::Grid(Expr::binary(BinaryOp::Mul, number(scale), lookup))
            }
            grid @ VolumeValue::Grid(_) => grid,
        };
        Volume { value, ..self }
    }

    pub(super) fn expr(self) -> Expr {
        match self.value {
            VolumeValue::Constant(rgb) => color(rgb),
            VolumeValue::Grid(lookup) => lookup,
        }
    }
}

impl Translator<'_> {
    /// Value of a medium's property in space.
    pub(super) fn volume(
        &mut self,
        id: ObjectId,
        name: &str,
        default: f64,
        usage: Use,
        outside: Outside,
    ) -> Option<Volume> {
        let Some((value, place)) = self.find(id, name) else {
            return Some(Volume::constant([default; 3]));
        };
        let &PropertyValue::Object(part) = value else {
            return self.rgb(value, place, usage).map(Volume::constant);
        };
        self.mark_translated(part);
        match self.object(part).plugin.as_str() {
            "constvolume" => {
                let cube = upright(&self.placement(part).inverse());
                let inner = self.volume(part, "value", 1.0, usage, outside)?;
                Some(Volume { cube, ..inner })
            }
            "gridvolume" => self.grid(part, outside),
            _ if self.object(part).tag == "volume" => {
                self.unknown_plugin(part, VOLUMES, "; light goes through as through air");
                None
            }
            _ => self.rgb_of_object(part, usage).map(Volume::constant),
        }
    }

    fn grid(&mut self, id: ObjectId, outside: Outside) -> Option<Volume> {
        let is_old = self.object(id).is_old;
        let name = self.image_file(id, "filename")?;
        let vol = self.vol_box(id)?;
        self.ignore(id, &["raw", "accel"]);
        let unit_from_own = if self.boolean(id, "use_grid_bbox").unwrap_or(is_old) {
            unit_from_box(vol.bounds)
        } else {
            DMat4::IDENTITY
        };
        let cube = unit_from_own * self.placement(id).inverse();
        // Values of versions before 2 stand in the corners of the box, not in the middles of cells.
        let between = if is_old {
            let half = 0.5 / vol.size.as_dvec3();
            DMat4::from_translation(half) * DMat4::from_scale(1.0 - 2.0 * half)
        } else {
            DMat4::IDENTITY
        };
        let file_from_world = unit_from_box(vol.bounds).inverse() * between * cube;
        let wrap = self.volume_wrap(id);
        let mut args =
            vec![Expr::string(name), call("transform", [matrix(&file_from_world), Expr::name("P")])];
        // A medium ends at the box along the axes of the world that its cube is in; before version 2, at the cube.
        let end = if is_old { cube } else { upright(&cube) };
        let is_cut = outside == Outside::Nothing && wrap != "periodic" && !is_old && end == cube;
        if !is_cut {
            args.extend(["wrap", wrap].map(Expr::string));
        }
        if self.is_nearest(id, "trilinear") {
            args.extend(["interp", "closest"].map(Expr::string));
        }
        let args = args.into_iter().map(Argument::positional).collect();
        Some(Volume {
            value: VolumeValue::Grid(Expr::call("texture3d", args)),
            cube: end,
            ends: is_cut,
        })
    }

    fn volume_wrap(&mut self, id: ObjectId) -> &'static str {
        match self.text(id, "wrap_mode").unwrap_or("clamp") {
            "clamp" => "clamp",
            "repeat" => "periodic",
            "mirror" => "mirror",
            _ => {
                let place = self.place_of(id, "wrap_mode");
                self.error(place, "`wrap_mode` is `repeat`, `mirror` or `clamp`");
                "clamp"
            }
        }
    }

    /// Box and size of a grid's file.
    fn vol_box(&mut self, id: ObjectId) -> Option<VolBox> {
        let place = self.place_of(id, "filename");
        let path = self.document.resolve(self.text(id, "filename")?);
        let read = GridFile::read(&*self.document.file_system, &path);
        match read.map(|file| file.vol_box()) {
            Ok(Some(found)) => Some(found),
            Ok(None) => {
                self.error(place, "a gridvolume reads Mitsuba's own volumes, `.vol`");
                None
            }
            Err(error) => {
                self.error(place, error.to_string());
                None
            }
        }
    }
}

/// Transform to the unit cube from the smallest axis-aligned box in world space that contains the region of `cube`; `cube`
/// itself, if the region is such a box.
fn upright(cube: &DMat4) -> DMat4 {
    /// Share of the box that is rounding.
    const ROUNDING: f64 = 1e-9;
    let world = cube.inverse();
    let axes = [world.x_axis, world.y_axis, world.z_axis].map(|axis| axis.truncate());
    let size: DVec3 = axes.iter().map(|axis| axis.abs()).sum();
    let is_upright = (0..3).all(|row| {
        let most = axes.iter().map(|axis| axis[row].abs()).fold(0.0, f64::max);
        size[row] - most <= ROUNDING * size[row]
    });
    if is_upright {
        return *cube;
    }
    let middle = world.transform_point3(DVec3::splat(0.5));
    unit_from_box([middle - 0.5 * size, middle + 0.5 * size])
}

/// Transform from a box to the unit cube.
fn unit_from_box([low, high]: [DVec3; 2]) -> DMat4 {
    DMat4::from_scale(1.0 / (high - low)) * DMat4::from_translation(-low)
}

/// Matrix of the shading language, where points are rows.
pub(super) fn matrix(matrix: &DMat4) -> Expr {
    Expr::matrix(matrix.to_cols_array().map(number))
}
