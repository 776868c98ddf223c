//! Images that PLY files name (`comment TextureFile`), as MeshLab and programs of photogrammetry write them.
//!
//! The property `texnumber` of faces tells the image of each; without it all have the first.

use renderer_geometry::ply::PlyFile;

/// The property that holds the number of a face's image.
pub(super) const IMAGE_NUMBER: &str = "texnumber";

/// The images of a file, and which of them each triangle has.
#[derive(Default)]
pub(super) struct PlyImages {
    pub(super) names: Vec<String>,
    /// Empty where all triangles have the first.
    of_triangle: Vec<u32>,
}

impl PlyImages {
    pub(super) fn of(file: &PlyFile<'_>) -> PlyImages {
        let name = |remark: &str| Some(remark.strip_prefix("TextureFile")?.trim().to_owned());
        PlyImages {
            names: file.remarks().filter_map(name).collect(),
            of_triangle: vec![],
        }
    }

    /// Adds the triangles of a face, if it matters which image they have. A negative number is that of none.
    pub(super) fn take(&mut self, number: f32, triangles: usize) {
        if self.names.len() > 1 {
            let image = if number < 0.0 { u32::MAX } else { number as u32 };
            self.of_triangle.extend(std::iter::repeat_n(image, triangles));
        }
    }

    /// The number of a triangle's image.
    pub(super) fn image_of(&self, triangle: usize) -> usize {
        (self.of_triangle.get(triangle)).map_or(0, |&image| image as usize)
    }
}
