//! Regular patches: uniform bicubic B-splines, which are most of a surface.

use glam::{Vec2, Vec3};
use opensubdiv_rs::far::{PatchParam, PatchTable, PatchType};

use crate::point::Point;

/// Control values of the regular patches of a surface, or of one of its channels.
pub(crate) struct RegularPatches {
    /// The 4 × 4 values of each patch; `u32::MAX` for other patches.
    controls: Vec<[u32; 16]>,
}

/// Patch that is not regular, or has a boundary or a crease.
const OTHER: [u32; 16] = [u32::MAX; 16];

impl RegularPatches {
    /// The patches for positions.
    pub(crate) fn of_points(table: &PatchTable) -> RegularPatches {
        let controls = |patch| match table.patch_type(patch) {
            PatchType::Regular if table.single_crease_sharpness(patch) == 0.0 => table.patch_vertices(patch),
            _ => vec![],
        };
        RegularPatches::new(table, controls)
    }

    /// The patches for a channel of vertex values. The table does not say which patches of a channel have a crease: patches whose
    /// positions have one are left out.
    pub(crate) fn of_channel(table: &PatchTable, channel: usize) -> RegularPatches {
        let controls = |patch| match (table.fvar_patch_type(patch, channel), table.patch_type(patch)) {
            (PatchType::Regular, PatchType::Regular) if table.single_crease_sharpness(patch) == 0.0 => {
                table.fvar_patch_values(patch, channel)
            }
            _ => vec![],
        };
        RegularPatches::new(table, controls)
    }

    fn new(table: &PatchTable, controls: impl Fn(usize) -> Vec<u32>) -> RegularPatches {
        // A patch at a boundary has fewer values.
        let list = (0..table.num_patches()).map(|patch| controls(patch).try_into().unwrap_or(OTHER));
        RegularPatches { controls: list.collect() }
    }

    fn controls(&self, patch: usize) -> Option<&[u32; 16]> {
        self.controls.get(patch).filter(|controls| controls[0] != u32::MAX)
    }

    /// The point of a patch with its derivatives along the parameters of the face; `None` if the patch is not regular.
    pub(crate) fn point(
        &self,
        (patch, param): (usize, &PatchParam),
        values: &[[f32; 3]],
        uv: Vec2,
    ) -> Option<Point> {
        let controls = self.controls(patch)?;
        let (s, t) = param.normalize(uv.x, uv.y);
        let ((bs, ds), (bt, dt)) = (basis(s), basis(t));
        let mut point = Point::default();
        for (j, row) in controls.chunks_exact(4).enumerate() {
            let (mut along, mut slope) = (Vec3::ZERO, Vec3::ZERO);
            for (i, &control) in row.iter().enumerate() {
                let value = Vec3::from_array(values[control as usize]);
                along += bs[i] * value;
                slope += ds[i] * value;
            }
            point.p += bt[j] * along;
            point.dpds += bt[j] * slope;
            point.dpdt += dt[j] * along;
        }
        let scale = (1u32 << param.depth) as f32;
        let (along_s, along_t) = (point.dpds * scale, point.dpdt * scale);
        (point.dpds, point.dpdt) = match param.rotation % 4 {
            0 => (along_s, along_t),
            1 => (-along_t, along_s),
            2 => (-along_s, -along_t),
            _ => (along_t, -along_s),
        };
        Some(point)
    }

    /// The values of a patch and their weights; `None` if the patch is not regular.
    pub(crate) fn weights(
        &self,
        (patch, param): (usize, &PatchParam),
        uv: Vec2,
    ) -> Option<([u32; 16], [f32; 16])> {
        let controls = self.controls(patch)?;
        let (s, t) = param.normalize(uv.x, uv.y);
        let ((bs, _), (bt, _)) = (basis(s), basis(t));
        Some((*controls, std::array::from_fn(|i| bs[i % 4] * bt[i / 4])))
    }
}

/// The uniform cubic B-spline basis and its derivative.
fn basis(s: f32) -> ([f32; 4], [f32; 4]) {
    let (s2, s3, r) = (s * s, s * s * s, 1.0 - s);
    let sixth = 1.0 / 6.0;
    let values = [
        sixth * r * r * r,
        sixth * (3.0 * s3 - 6.0 * s2 + 4.0),
        sixth * (-3.0 * s3 + 3.0 * s2 + 3.0 * s + 1.0),
        sixth * s3,
    ];
    let slopes = [-0.5 * r * r, 1.5 * s2 - 2.0 * s, -1.5 * s2 + s + 0.5, 0.5 * s2];
    (values, slopes)
}
