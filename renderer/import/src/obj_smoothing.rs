//! Smoothing groups of OBJ files (`s`): vertex normals of faces without normals.
//!
//! Faces of one group share a normal at each position: the mean of their face normals, weighted by the angles at the
//! corner. Faces without a group are flat.

use glam::Vec3;
use rustc_hash::FxHashMap;

use renderer_base::math::atan2;

/// Bit that distinguishes the index of a smoothing group's normal from that of a normal in the file.
const OF_GROUP: u32 = 1 << 31;

/// Current smoothing group, and the normals of all groups.
#[derive(Default)]
pub(super) struct Smoothing {
    group: u32,
    normals: Vec<Vec3>,
    of_position: FxHashMap<(u32, u32), u32>,
}

impl Smoothing {
    /// Reads `s`: a number from 1, `on`, or `off`, which equals `0`. Other words are ignored.
    pub(super) fn begin(&mut self, word: &str) {
        self.group = match word {
            "off" => 0,
            "on" => 1,
            number => number.parse().unwrap_or(self.group),
        };
    }

    /// Returns whether faces belong to a smoothing group.
    pub(super) fn is_on(&self) -> bool {
        self.group != 0
    }

    /// Index of the current group's normal at a position; `None` if faces are flat.
    pub(super) fn normal_at(&mut self, position: u32) -> Option<u32> {
        if !self.is_on() {
            return None;
        }
        let next = self.normals.len() as u32;
        let normal = *self.of_position.entry((position, self.group)).or_insert(next);
        if normal == next {
            self.normals.push(Vec3::ZERO);
        }
        Some(OF_GROUP | normal)
    }

    /// Adds a triangle to the group normals of its corners.
    pub(super) fn add(&mut self, normals: [u32; 3], p: [Vec3; 3]) {
        for (corner, &normal) in normals.iter().enumerate() {
            if is_of_group(normal) {
                let [to_next, to_last] = [1, 2].map(|step| p[(corner + step) % 3] - p[corner]);
                let angle = atan2(to_next.cross(to_last).length(), to_next.dot(to_last));
                self.normals[(normal & !OF_GROUP) as usize] += angle * face_normal(p);
            }
        }
    }

    /// Adds the normal of a single face, and returns its index.
    pub(super) fn add_flat(&mut self, p: [Vec3; 3]) -> u32 {
        self.normals.push(face_normal(p));
        OF_GROUP | (self.normals.len() - 1) as u32
    }

    pub(super) fn normal(&self, index: u32) -> Vec3 {
        self.normals[(index & !OF_GROUP) as usize]
    }
}

/// Returns whether an index is that of a smoothing group's normal.
pub(super) fn is_of_group(normal: u32) -> bool {
    normal != u32::MAX && normal & OF_GROUP != 0
}

fn face_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a).normalize_or_zero()
}
