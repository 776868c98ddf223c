//! Triangulation between two chains of vertices.

/// Calls `add` for the triangles between two chains that run in the same direction, `left` on the left side. Each vertex has
/// a parameter that grows along its chain; the chain whose next vertex has the lower one advances.
pub(crate) fn triangulate(right: (&[u32], &[f32]), left: (&[u32], &[f32]), add: &mut impl FnMut([u32; 3])) {
    let ((right, right_at), (left, left_at)) = (right, left);
    let (mut i, mut j) = (0, 0);
    while i + 1 < right.len() || j + 1 < left.len() {
        let advances_right = match (right_at.get(i + 1), left_at.get(j + 1)) {
            (Some(next_right), Some(next_left)) => next_right <= next_left,
            (next_right, _) => next_right.is_some(),
        };
        if advances_right {
            add([right[i], right[i + 1], left[j]]);
            i += 1;
        } else {
            add([right[i], left[j + 1], left[j]]);
            j += 1;
        }
    }
}
