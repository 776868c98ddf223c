//! Cube panoramas: six square views of 90 degrees, in a row or as an unfolded cube.

use glam::{Vec2, Vec3};

use super::lens::LocalRay;

/// Arrangement of the faces of a cube panorama on the film.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CubeLayout {
    /// A row: right, left, up, down, front, back.
    #[default]
    Strip,
    /// Four columns and three rows: left, front, right and back in the middle row, up and down above and below the front.
    Cross,
}

/// View of a face: axes to the right and upwards in its picture, and the viewing direction.
struct Face {
    right: Vec3,
    up: Vec3,
    ahead: Vec3,
}

/// The faces in the order of a strip.
const FACES: [Face; 6] = [
    Face { right: Vec3::Z, up: Vec3::Y, ahead: Vec3::X },
    Face { right: Vec3::NEG_Z, up: Vec3::Y, ahead: Vec3::NEG_X },
    Face { right: Vec3::X, up: Vec3::Z, ahead: Vec3::Y },
    Face { right: Vec3::X, up: Vec3::NEG_Z, ahead: Vec3::NEG_Y },
    Face { right: Vec3::X, up: Vec3::Y, ahead: Vec3::NEG_Z },
    Face { right: Vec3::NEG_X, up: Vec3::Y, ahead: Vec3::Z },
];

impl CubeLayout {
    /// Layouts by their names in scene files.
    pub const NAMED: [(&str, CubeLayout); 2] = [("strip", CubeLayout::Strip), ("cross", CubeLayout::Cross)];

    /// Number of columns and rows of faces.
    pub const fn cells(self) -> [u32; 2] {
        match self {
            CubeLayout::Strip => [6, 1],
            CubeLayout::Cross => [4, 3],
        }
    }

    /// Column and row of each face.
    const fn places(self) -> [[u32; 2]; 6] {
        match self {
            CubeLayout::Strip => [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0]],
            CubeLayout::Cross => [[2, 1], [0, 1], [1, 0], [1, 2], [1, 1], [3, 1]],
        }
    }
}

/// A cube panorama over a film.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cube {
    layout: CubeLayout,
    /// Width and height of a face [pixels].
    face: Vec2,
}

impl Cube {
    pub(super) fn new(film: Vec2, layout: CubeLayout) -> Cube {
        let [columns, rows] = layout.cells();
        Cube { layout, face: film / Vec2::new(columns as f32, rows as f32) }
    }

    /// The ray of a film point; `None` between the faces of a cross.
    pub(super) fn ray(&self, film_point: Vec2) -> Option<LocalRay> {
        let [columns, rows] = self.layout.cells();
        let place = film_point / self.face;
        // Filters sample beyond the film: its outer faces continue there.
        let cell = [place.x, place.y].map(|x| x.max(0.0) as u32);
        let cell = [cell[0].min(columns - 1), cell[1].min(rows - 1)];
        let index = self.layout.places().iter().position(|of| *of == cell)?;
        let Face { right, up, ahead } = &FACES[index];
        let offset = (place - Vec2::new(cell[0] as f32, cell[1] as f32)) * 2.0 - 1.0;
        let pixel = 2.0 / self.face;
        Some(LocalRay {
            direction: *ahead + *right * offset.x - *up * offset.y,
            direction_dx: *right * pixel.x,
            direction_dy: *up * -pixel.y,
            ..LocalRay::AXIS
        })
    }

    /// Film point of a point; `None` for the position of the camera.
    pub(super) fn project(&self, p: Vec3) -> Option<Vec2> {
        let depth = |index: usize| FACES[index].ahead.dot(p);
        let index = (0..6).max_by(|&a, &b| depth(a).total_cmp(&depth(b)))?;
        let Face { right, up, .. } = &FACES[index];
        let ahead = depth(index);
        let [column, row] = self.layout.places()[index].map(|n| n as f32);
        let offset = Vec2::new(right.dot(p), -up.dot(p)) / ahead;
        (ahead > 0.0).then(|| (Vec2::new(column, row) + 0.5 + 0.5 * offset) * self.face)
    }
}
