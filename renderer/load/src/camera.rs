//! Declarations `camera NAME : KIND { … }`.

use glam::{Affine3A, Vec2, Vec3};
use shading::syntax::ast::{Declaration, Expr};

use super::context::LoadContext;
use super::field::{Given, Range};
use super::motion::{MOTION, motion, placed};
use super::table::{Key, body_of, header_of, kind_of, read_block, set};
use renderer_geometry::camera::{self, Aperture, CubeLayout, FisheyeMapping, FovAxis, Projection, look_at};
use renderer_scene::{CameraDesc, Motion};

/// Position and orientation, by `from`, `to` and `up` or by `transform`.
#[derive(Default)]
pub(super) struct Placement {
    pub(super) from: Option<Given<Vec3>>,
    pub(super) to: Option<Given<Vec3>>,
    pub(super) up: Option<Given<Vec3>>,
    pub(super) transform: Option<Given<Affine3A>>,
}

/// Values of a camera's block.
pub(super) struct CameraBlock {
    placement: Placement,
    motion: Option<Motion>,
    fov: Option<f32>,
    fov_axis: Option<FovAxis>,
    aperture: Aperture,
    mapping: FisheyeMapping,
    focus_distance: Option<f32>,
    shift: Vec2,
    width: Option<f32>,
    height: Option<f32>,
    stereo: bool,
    eye_distance: f32,
    layout: CubeLayout,
    sensor_width: f32,
    shader: Option<Expr>,
    near: f32,
    far: Option<Given<f32>>,
}

impl Default for CameraBlock {
    fn default() -> CameraBlock {
        CameraBlock {
            placement: Placement::default(),
            motion: None,
            fov: None,
            fov_axis: None,
            aperture: Aperture::PINHOLE,
            mapping: FisheyeMapping::Equidistant,
            focus_distance: None,
            shift: Vec2::ZERO,
            width: None,
            height: None,
            stereo: false,
            eye_distance: 0.065,
            layout: CubeLayout::Strip,
            sensor_width: 36.0,
            shader: None,
            near: 0.0,
            far: None,
        }
    }
}

/// Keys of all cameras.
pub(super) const ANY: &[Key<CameraBlock>] = &[
    Key {
        name: "from",
        doc: "position, together with `to`; (0, 0, 0) by default",
        set: |camera, field, context| camera.placement.from = field.given(field.point(context)),
    },
    Key {
        name: "to",
        doc: "target point; along -z by default",
        set: |camera, field, context| camera.placement.to = field.given(field.point(context)),
    },
    Key {
        name: "up",
        doc: "up direction of the picture; (0, 1, 0) by default",
        set: |camera, field, context| camera.placement.up = field.given(field.point(context)),
    },
    Key {
        name: "transform",
        doc: "instead of the three: world from camera, where the camera looks along -z with +x to the right and +y up",
        set: |camera, field, context| camera.placement.transform = field.given(field.transform(context)),
    },
    Key {
        name: "motion",
        doc: MOTION,
        set: |camera, field, context| camera.motion = motion(&field, context),
    },
    Key {
        name: "near",
        doc: "near clipping distance (m, along the viewing axis; along the ray for panoramas, fisheye lenses and shaders); 0 by default",
        set: |camera, field, context| set(&mut camera.near, field.number(context, Range::NotNegative)),
    },
    Key {
        name: "far",
        doc: "far clipping distance (m, measured like `near`); no limit by default",
        set: |camera, field, context| camera.far = field.given(field.number(context, Range::Positive)),
    },
];

/// Keys of the lens of perspective and custom cameras.
pub(super) const LENS: &[Key<CameraBlock>] = &[
    Key {
        name: "aperture_radius",
        doc: "radius of the lens (m); 0, a pinhole, by default",
        set: |camera, field, context| {
            set(&mut camera.aperture.radius, field.number(context, Range::NotNegative));
        },
    },
    Key {
        name: "aperture_blades",
        doc: "number of sides of a polygonal aperture, from 3; a disk by default",
        set: |camera, field, context| {
            let blades = field.integer(context, 3, 64);
            set(&mut camera.aperture.blades, blades.map(|blades| blades as u32));
        },
    },
    Key {
        name: "aperture_rotation",
        doc: "rotation of the polygon in degrees; 0, a corner on the right, by default",
        set: |camera, field, context| {
            let degrees = field.number(context, Range::Any);
            set(&mut camera.aperture.rotation, degrees.map(f32::to_radians));
        },
    },
    Key {
        name: "aperture_ratio",
        doc: "height of the aperture divided by its width, 2 for an anamorphic lens; 1 by default",
        set: |camera, field, context| {
            set(&mut camera.aperture.ratio, field.number(context, Range::Positive));
        },
    },
    Key {
        name: "focus_distance",
        doc: "distance of the plane of focus along the viewing axis (m); that of `to` by default",
        set: |camera, field, context| camera.focus_distance = field.number(context, Range::Positive),
    },
];

pub(super) const PERSPECTIVE: &[Key<CameraBlock>] = &[
    Key {
        name: "fov",
        doc: "field of view in degrees, more than 0 and less than 180; 40 by default",
        set: |camera, field, context| camera.fov = field.number(context, Range::Between(0.0, 180.0)),
    },
    Key {
        name: "fov_axis",
        doc: "axis of `fov`: `x` (the default), `y`, `smaller`, `larger` or `diagonal`",
        set: |camera, field, context| camera.fov_axis = field.choice(context, &FovAxis::NAMED),
    },
    Key {
        name: "shift",
        doc: "offset of the viewing axis, and the picture with it, to the left and upwards from the middle of the \
              film, in widths and heights of the film; (0, 0) by default",
        set: |camera, field, context| {
            let shift = field.numbers(context, Range::Any, "(0.1, 0)");
            set(&mut camera.shift, shift.map(Vec2::from_array));
        },
    },
];

pub(super) const ORTHOGRAPHIC: &[Key<CameraBlock>] = &[
    Key {
        name: "width",
        doc: "width of the view (m); that of square pixels by default, or 2",
        set: |camera, field, context| camera.width = field.number(context, Range::Positive),
    },
    Key {
        name: "height",
        doc: "height of the view (m); that of square pixels by default",
        set: |camera, field, context| camera.height = field.number(context, Range::Positive),
    },
];

pub(super) const PANORAMIC: &[Key<CameraBlock>] = &[
    Key {
        name: "stereo",
        doc: "`true`: omnidirectional stereo, the panorama of the left eye above that of the right one; `false` by default",
        set: |camera, field, context| set(&mut camera.stereo, field.boolean(context)),
    },
    Key {
        name: "eye_distance",
        doc: "distance between the eyes of `stereo` (m); 0.065 by default",
        set: |camera, field, context| {
            set(&mut camera.eye_distance, field.number(context, Range::NotNegative));
        },
    },
];

pub(super) const CUBE: &[Key<CameraBlock>] = &[Key {
    name: "layout",
    doc: "arrangement of the six square views: `strip` (the default), a row of right, left, up, down, front and back, for films \
          of 6 to 1; or `cross`, an unfolded cube with the front in the second column and row, for films of 4 to 3",
    set: |camera, field, context| set(&mut camera.layout, field.choice(context, &CubeLayout::NAMED)),
}];

pub(super) const FISHEYE: &[Key<CameraBlock>] = &[
    Key {
        name: "mapping",
        doc: "distance from the middle of the film of a ray at the angle a to the viewing axis: `equidistant`, a (the \
              default), `equisolid`, sin(a/2), `stereographic`, tan(a/2), or `orthographic`, sin(a)",
        set: |camera, field, context| {
            set(&mut camera.mapping, field.choice(context, &FisheyeMapping::NAMED));
        },
    },
    Key {
        name: "fov",
        doc: "field of view in degrees, up to 360 (`stereographic` 342, `orthographic` 180); 180 by default",
        set: |camera, field, context| camera.fov = field.number(context, Range::Positive),
    },
    Key {
        name: "fov_axis",
        doc: "axis of `fov`: `x`, `y`, `smaller` (the default), `larger` or `diagonal`",
        set: |camera, field, context| camera.fov_axis = field.choice(context, &FovAxis::NAMED),
    },
];

pub(super) const CUSTOM: &[Key<CameraBlock>] = &[
    Key {
        name: "shader",
        doc: "the call of a unit or group that computes the ray of each film point: outputs `position`, `direction` and \
              `throughput`; it must be given",
        set: |camera, field, _| camera.shader = Some(field.expr.clone()),
    },
    Key {
        name: "sensor_width",
        doc: "width of the sensor (mm) for shaders, as `cam:sensor_size`; 36 by default",
        set: |camera, field, context| {
            set(&mut camera.sensor_width, field.number(context, Range::Positive));
        },
    },
];

/// Kinds of cameras.
#[derive(Clone, Copy)]
enum CameraKeyword {
    Perspective,
    Orthographic,
    Panoramic,
    Cube,
    Fisheye,
    Custom,
}

/// Reads a camera, with the call of its shader.
pub(super) fn read_camera(
    declaration: &Declaration,
    context: &mut LoadContext,
) -> Option<(CameraDesc, Option<Expr>)> {
    let name = header_of(declaration, context)?;
    let kinds = [
        ("perspective", CameraKeyword::Perspective),
        ("orthographic", CameraKeyword::Orthographic),
        ("panoramic", CameraKeyword::Panoramic),
        ("cube", CameraKeyword::Cube),
        ("fisheye", CameraKeyword::Fisheye),
        ("custom", CameraKeyword::Custom),
    ];
    let kind = kind_of(declaration, Some(CameraKeyword::Perspective), &kinds, context)?;
    let (what, keys) = match kind {
        CameraKeyword::Perspective => ("a perspective camera", &[PERSPECTIVE, LENS, ANY][..]),
        CameraKeyword::Orthographic => ("an orthographic camera", &[ORTHOGRAPHIC, ANY][..]),
        CameraKeyword::Panoramic => ("a panoramic camera", &[PANORAMIC, ANY][..]),
        CameraKeyword::Cube => ("a cube camera", &[CUBE, ANY][..]),
        CameraKeyword::Fisheye => ("a fisheye camera", &[FISHEYE, ANY][..]),
        CameraKeyword::Custom => ("a custom camera", &[CUSTOM, LENS, ANY][..]),
    };
    let mut block = CameraBlock::default();
    if !read_block(body_of(declaration), what, keys, &mut block, context) {
        return None;
    }
    let world_from_camera = block.placement.pose("a camera", declaration, context)?;
    let far = block.far.map_or(f32::INFINITY, |far| far.value);
    if let Some(far) = block.far
        && far.value <= block.near
    {
        context.error(
            far.span,
            format!("`far` is {}, not more than `near`, {}", far.value, block.near),
        );
    }
    let projection = match kind {
        CameraKeyword::Perspective => Projection::Perspective {
            fov: block.fov.unwrap_or(40.0).to_radians(),
            fov_axis: block.fov_axis.unwrap_or_default(),
            aperture: block.aperture,
            focus_distance: focus_distance(&block, declaration, context),
            shift: block.shift,
        },
        CameraKeyword::Orthographic => Projection::Orthographic { width: block.width, height: block.height },
        CameraKeyword::Panoramic if block.stereo => Projection::Stereo { eye_distance: block.eye_distance },
        CameraKeyword::Panoramic => Projection::Panoramic,
        CameraKeyword::Cube => Projection::Cube { layout: block.layout },
        CameraKeyword::Fisheye => Projection::Fisheye {
            mapping: block.mapping,
            fov: block.fov.unwrap_or(180.0).to_radians(),
            fov_axis: block.fov_axis.unwrap_or(FovAxis::Smaller),
        },
        CameraKeyword::Custom => {
            if block.shader.is_none() {
                let error = context
                    .error_at(declaration.span, "a custom camera has no `shader`")
                    .hint("write for example `shader = tilt_shift(tilt = 8);`");
                context.push(error);
                return None;
            }
            Projection::Custom {
                sensor_width: block.sensor_width,
                aperture: block.aperture,
                focus_distance: focus_distance(&block, declaration, context),
            }
        }
    };
    let camera = camera::CameraDesc { world_from_camera, projection, near: block.near, far };
    let motion = placed(block.motion.as_ref(), &Affine3A::IDENTITY, (None, &world_from_camera));
    let desc = CameraDesc { name, span: declaration.span, camera, shader: None, motion };
    Some((desc, block.shader))
}

impl Placement {
    /// Object-to-world transform of an object that looks along −z with +y up.
    pub(super) fn pose(
        &self,
        what: &str,
        declaration: &Declaration,
        context: &mut LoadContext,
    ) -> Option<Affine3A> {
        if let Some(transform) = self.transform {
            return Some(transform.value);
        }
        let [from, to, up] = [self.from, self.to, self.up].map(|given| given.map(|given| given.value));
        let from = from.unwrap_or_default();
        match look_at(from, to.unwrap_or(from - Vec3::Z), up.unwrap_or(Vec3::Y)) {
            Ok(pose) => Some(pose),
            Err(error) => {
                let given = self.up.or(self.to).or(self.from);
                let span = given.map_or(declaration.span, |given| given.span);
                context.error(span, error.to_string().replace("the camera", what));
                None
            }
        }
    }
}

fn focus_distance(block: &CameraBlock, declaration: &Declaration, context: &mut LoadContext) -> f32 {
    if let Some(distance) = block.focus_distance {
        return distance;
    }
    match block.placement.to {
        Some(to) => (to.value - block.placement.from.map_or(Vec3::ZERO, |from| from.value)).length(),
        None => {
            if block.aperture.radius > 0.0 {
                context.error(
                    declaration.span,
                    "a camera with an `aperture_radius` needs a `focus_distance` or `to`",
                );
            }
            1.0
        }
    }
}
