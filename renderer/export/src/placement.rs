//! Placement of a primitive's texture coordinates in the lightmap.

use glam::Vec2;
use serde_json::{Value, json};

/// Transform of texture coordinates, v down: offset + scale · uv.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) offset: Vec2,
    pub(super) scale: Vec2,
}

impl Placement {
    pub(super) const IDENTITY: Placement = Placement { offset: Vec2::ZERO, scale: Vec2::ONE };

    /// Transform from texture coordinates to lightmap coordinates, by vertex, both v up, from their extremes.
    pub(super) fn between(from: &[Vec2], to: &[Vec2]) -> Placement {
        let axis = |of: fn(Vec2) -> f32| {
            let pairs = || from.iter().zip(to).map(|(&from, &to)| (of(from), of(to)));
            let least = pairs().reduce(|a, b| if b.0 < a.0 { b } else { a });
            let most = pairs().reduce(|a, b| if b.0 > a.0 { b } else { a });
            match (least, most) {
                (Some(least), Some(most)) if most.0 > least.0 => {
                    let scale = (most.1 - least.1) / (most.0 - least.0);
                    (least.1 - scale * least.0, scale)
                }
                _ => (0.0, 1.0),
            }
        };
        let (u, v) = (axis(|uv| uv.x), axis(|uv| 1.0 - uv.y));
        Placement { offset: Vec2::new(u.0, v.0), scale: Vec2::new(u.1, v.1) }
    }

    /// Transform between two placements of one layout, both v up.
    pub(super) fn moved(from: &[Vec2], to: &[Vec2]) -> Placement {
        let moved = match (from.first(), to.first()) {
            (Some(&from), Some(&to)) => to - from,
            _ => Vec2::ZERO,
        };
        Placement {
            // A difference of zero has no sign.
            offset: Vec2::new(moved.x, -moved.y) + Vec2::ZERO,
            ..Placement::IDENTITY
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "offset": self.offset.to_array(), "scale": self.scale.to_array() })
    }
}
