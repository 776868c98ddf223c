//! Transforms: `translate(…) * rotate(…) * scale(…)`, composed as matrix products: the right-most is applied first.
//! Arithmetic is in `f64`, so that long products stay precise.

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3};

use super::value::SceneValue;
use renderer_base::math::{inverse, sin_cos};

/// Functions that return transforms, with their usage.
pub(super) const FUNCTIONS: [(&str, &str); 5] = [
    ("translate", "translate(x, y, z), in metres"),
    (
        "rotate",
        "rotate((x, y, z), degrees) about an axis, counter-clockwise as seen from its tip",
    ),
    ("scale", "scale(s) or scale(x, y, z)"),
    (
        "look_at",
        "look_at(from, to, up) puts the origin at `from`, +z towards `to`, +y as near to `up` as can be, +x to the left",
    ),
    (
        "matrix",
        "matrix(16 numbers), row by row, column vectors: the fourth column is the translation",
    ),
];

/// Evaluates a call that returns a transform, or returns an error message; `None` if the function does not return
/// transforms.
pub(super) fn from_call(name: &str, args: &[SceneValue]) -> Option<Result<DAffine3, String>> {
    let (_, usage) = FUNCTIONS.iter().find(|(function, _)| *function == name)?;
    let made = match name {
        "translate" => vector(args).map(DAffine3::from_translation),
        "rotate" => rotate(args),
        "scale" => match args {
            [SceneValue::Number(s)] => Some(DAffine3::from_scale(DVec3::splat(*s))),
            _ => vector(args).map(DAffine3::from_scale),
        },
        "look_at" => look_at(args),
        _ => matrix(args),
    };
    Some(made.ok_or_else(|| format!("wrong arguments of `{name}`: {usage}")))
}

/// Rounds a transform to single precision; `None` if it is not invertible or not finite.
pub(super) fn narrow(matrix: DAffine3) -> Option<Affine3A> {
    let m = matrix.matrix3;
    let finite = m.is_finite() && matrix.translation.is_finite();
    // Flatness of the transformed unit cube, independent of the unit of length: volume of the box of normalized axes.
    let lengths = m.x_axis.length() * m.y_axis.length() * m.z_axis.length();
    let flatness = (m.determinant() / lengths).abs();
    // False for NaN too, which axes of length zero give.
    let narrow = Affine3A::from_mat3_translation(m.as_mat3(), matrix.translation.as_vec3());
    (finite && flatness > 1e-7 && narrow.is_finite() && inverse(&narrow).is_finite()).then_some(narrow)
}

fn vector(args: &[SceneValue]) -> Option<DVec3> {
    match args {
        [SceneValue::Tuple(list)] => triple(list),
        [SceneValue::Number(x), SceneValue::Number(y), SceneValue::Number(z)] => Some(DVec3::new(*x, *y, *z)),
        _ => None,
    }
}

fn triple(list: &[f64]) -> Option<DVec3> {
    <[f64; 3]>::try_from(list).ok().map(DVec3::from_array)
}

fn rotate(args: &[SceneValue]) -> Option<DAffine3> {
    let (axis, degrees) = match args {
        [SceneValue::Tuple(axis), SceneValue::Number(degrees)] => (triple(axis)?, *degrees),
        [
            SceneValue::Number(x),
            SceneValue::Number(y),
            SceneValue::Number(z),
            SceneValue::Number(degrees),
        ] => (DVec3::new(*x, *y, *z), *degrees),
        _ => return None,
    };
    let (sin, cos) = sin_cos(0.5 * degrees.to_radians());
    let axis = axis.try_normalize()? * sin;
    Some(DAffine3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)))
}

fn look_at(args: &[SceneValue]) -> Option<DAffine3> {
    let (from, to, up) = match args {
        [SceneValue::Tuple(from), SceneValue::Tuple(to)] => (triple(from)?, triple(to)?, DVec3::Y),
        [SceneValue::Tuple(from), SceneValue::Tuple(to), SceneValue::Tuple(up)] => {
            (triple(from)?, triple(to)?, triple(up)?)
        }
        _ => return None,
    };
    let z = (to - from).try_normalize()?;
    let x = up.cross(z).try_normalize()?;
    Some(DAffine3::from_cols(x, z.cross(x), z, from))
}

fn matrix(args: &[SceneValue]) -> Option<DAffine3> {
    let numbers: Vec<f64> = match args {
        [SceneValue::Tuple(list)] => list.clone(),
        _ => args
            .iter()
            .map(|arg| match arg {
                SceneValue::Number(x) => Some(*x),
                _ => None,
            })
            .collect::<Option<_>>()?,
    };
    matrix_from_rows(numbers.try_into().ok()?)
}

/// Matrix from sixteen numbers in row-major order; `None` if it is not affine.
fn matrix_from_rows(rows: [f64; 16]) -> Option<DAffine3> {
    let matrix = DMat4::from_cols_array(&rows).transpose();
    let affine = rows[12..] == [0.0, 0.0, 0.0, 1.0];
    affine.then(|| DAffine3 {
        matrix3: DMat3::from_mat4(matrix),
        translation: DVec3::new(rows[3], rows[7], rows[11]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, args: &[SceneValue]) -> DAffine3 {
        from_call(name, args).expect("it is a transform").expect("its arguments fit")
    }

    fn tuple(list: &[f64]) -> SceneValue {
        SceneValue::Tuple(list.to_vec())
    }

    #[test]
    fn products_apply_from_the_right() {
        let moved = call("translate", &[tuple(&[1.0, 0.0, 0.0])]);
        let turned = call("rotate", &[tuple(&[0.0, 0.0, 1.0]), SceneValue::Number(90.0)]);
        let p = (moved * turned).transform_point3(DVec3::X);
        assert!((p - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-12, "{p}");
    }

    #[test]
    fn look_at_points_z_and_keeps_hands() {
        let view = call("look_at", &[tuple(&[0.0, 0.0, 4.0]), tuple(&[0.0, 0.0, 0.0])]);
        assert_eq!(view.transform_vector3(DVec3::Z), DVec3::NEG_Z);
        assert_eq!(view.transform_vector3(DVec3::X), DVec3::NEG_X);
        assert!((view.matrix3.determinant() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn flat_transforms_are_refused() {
        assert!(narrow(call("scale", &[tuple(&[1.0, 0.0, 1.0])])).is_none());
        assert!(narrow(call("scale", &[SceneValue::Number(f64::NAN)])).is_none());
        assert!(narrow(call("scale", &[SceneValue::Number(1e-4)])).is_some());
        assert!(narrow(call("scale", &[tuple(&[4.0, 0.05, 0.8])])).is_some());
    }
}
