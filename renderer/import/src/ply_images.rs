//! Images that PLY files name (`comment TextureFile`), as written by MeshLab and photogrammetry programs.
//!
//! The face property `texnumber` is the index of the face's image; without it all faces use the first image.

use renderer_geometry::ply::PlyFile;

/// Face property with the index of the image.
pub(super) const IMAGE_NUMBER: &str = "texnumber";

/// Images of a file, and the image of each triangle.
#[derive(Default)]
pub(super) struct PlyImages {
    pub(super) names: Vec<String>,
    /// Index of each triangle's image; empty if all use the first image.
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

    /// Adds the triangles of a face, if there are several images. A negative index means no image.
    pub(super) fn take(&mut self, number: f32, triangles: usize) {
        if self.names.len() > 1 {
            let image = if number < 0.0 { u32::MAX } else { number as u32 };
            self.of_triangle.extend(std::iter::repeat_n(image, triangles));
        }
    }

    /// Index of a triangle's image.
    pub(super) fn image_of(&self, triangle: usize) -> usize {
        (self.of_triangle.get(triangle)).map_or(0, |&image| image as usize)
    }
}
