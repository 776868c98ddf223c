//! Errors of camera descriptions: values out of range, singular matrices.

use glam::Vec2;

/// Error in the description of a camera.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CameraError {
    /// The field of view is not between 0 and 180 degrees.
    #[error("the field of view is {} degrees, not between 0 and 180", .fov.to_degrees())]
    Fov {
        /// The field of view [radians].
        fov: f32,
    },
    /// The lens has a negative radius.
    #[error("the radius of the aperture is {radius}, not a number from 0 up")]
    Aperture {
        /// The radius [m].
        radius: f32,
    },
    /// The aperture is not a shape.
    #[error("the ratio of the aperture is {ratio}, not a positive number, or its rotation {} degrees is not finite", .rotation.to_degrees())]
    ApertureShape {
        /// Height divided by width.
        ratio: f32,
        /// The rotation [radians].
        rotation: f32,
    },
    /// The field of view of a fisheye lens is too large.
    #[error("the field of view is {} degrees, not between 0 and {}", .fov.to_degrees(), .most.to_degrees())]
    FisheyeFov {
        /// The field of view [radians].
        fov: f32,
        /// Its maximum [radians].
        most: f32,
    },
    /// The focus distance is not positive.
    #[error("the focus distance is {distance}, not a positive number")]
    Focus {
        /// The distance [m].
        distance: f32,
    },
    /// The width or height of an orthographic camera is not positive.
    #[error("the width or height that the camera sees is {width}, not a positive number")]
    Width {
        /// The width or height [m].
        width: f32,
    },
    /// The distance between the eyes is negative.
    #[error("the distance between the eyes is {distance}, not a number from 0 up")]
    EyeDistance {
        /// The distance [m].
        distance: f32,
    },
    /// The shift of the film is not finite.
    #[error("the shift of the film is {}, {}, not two finite numbers", .shift.x, .shift.y)]
    Shift {
        /// The shift, in sizes of the film.
        shift: Vec2,
    },
    /// The clipping range is empty.
    #[error("the clipping distances are {near} and {far}, not 0 ≤ near < far")]
    Clip {
        /// The nearest distance [m].
        near: f32,
        /// The farthest distance [m].
        far: f32,
    },
    /// The matrix is singular or not finite.
    #[error("the camera's matrix is singular or not finite")]
    Singular,
    /// Position and target of the camera coincide.
    #[error("the camera looks at the point where it stands")]
    NoDirection,
    /// The up vector is parallel to the viewing direction.
    #[error("the camera's up vector is zero or along its viewing direction")]
    NoUp,
    /// The film has no pixels.
    #[error("the film has no pixels")]
    NoFilm,
}
