//! Triangle strips of PLY files (element `tristrips`), as vertex indices with −1 between strips.

use ply_rs_bw::ply::{BeginList, Property, PropertyAccess, PropertyAccessResult};

/// List of triangle strips.
#[derive(Default)]
pub(super) struct Strips {
    indices: Vec<i32>,
    /// True if the property is not a list of integers that can hold −1.
    wrong: bool,
}

impl PropertyAccess for Strips {
    fn new() -> Strips {
        Strips::default()
    }

    fn set_property(&mut self, _: &str, property: Property) -> PropertyAccessResult {
        match property {
            Property::ListChar(indices) => self.indices = indices.into_iter().map(i32::from).collect(),
            Property::ListShort(indices) => self.indices = indices.into_iter().map(i32::from).collect(),
            Property::ListInt(indices) => self.indices = indices,
            Property::ListUInt(indices) => self.indices = indices.into_iter().map(u32::cast_signed).collect(),
            _ => self.wrong = true,
        }
        PropertyAccessResult::Set
    }

    fn begin_list_int(&mut self, _: &str, _: usize) -> BeginList<'_, i32> {
        BeginList::Fill(&mut self.indices)
    }
}

impl Strips {
    /// Adds the triangles with the orientation of the first one of their strip. Triangles with a repeated index only
    /// join parts of a strip and are skipped. `None` if an index is less than −1 or not an integer.
    pub(super) fn add_to(&self, triangles: &mut Vec<[u32; 3]>) -> Option<()> {
        if self.wrong {
            return None;
        }
        for strip in self.indices.split(|&index| index == -1) {
            for (i, corners) in strip.windows(3).enumerate() {
                let [a, b, c] = [corners[0], corners[1], corners[2]].map(u32::try_from);
                let (a, b, c) = (a.ok()?, b.ok()?, c.ok()?);
                if a != b && b != c && c != a {
                    triangles.push(if i % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(indices: &[i32]) -> Option<Vec<[u32; 3]>> {
        let strips = Strips { indices: indices.to_vec(), wrong: false };
        let mut triangles = vec![];
        strips.add_to(&mut triangles)?;
        Some(triangles)
    }

    #[test]
    fn strips_turn_every_other_triangle_and_begin_anew() {
        assert_eq!(
            triangles(&[0, 1, 2, 3, 3, 5, -1, 6, 7, 8, -1]).as_deref(),
            Some(&[[0, 1, 2], [2, 1, 3], [6, 7, 8]][..])
        );
        assert_eq!(triangles(&[0, 1, -1, 2]).as_deref(), Some(&[][..]));
        assert_eq!(triangles(&[0, 1, -2]), None);
    }
}
