//! PLY models: the mesh, split by the images that the file names.

use std::collections::BTreeMap;
use std::path::Path;

use shading::syntax::ast::Expr;

use super::call::Call;
use super::model::stem;
use super::obj_text::NamedFiles;
use super::ply::{PlyMesh, read_ply};
use super::{ImportError, Model, ModelMaterial, read};
use renderer_base::files::Files;
use renderer_image::texture::TextureColorSpace;
use renderer_scene::EmissionSides;

/// Loads a PLY file as a model: its mesh, split by images.
///
/// # Errors
/// As [`super::load_ply`].
pub(super) fn load_ply_model(
    files: &dyn Files,
    path: &Path,
    keeps_faces: bool,
) -> Result<Model, ImportError> {
    let PlyMesh { mesh, images } = read_ply(&read(files, path)?, path, keeps_faces)?;
    if mesh.uvs.is_empty() || images.names.is_empty() {
        return Ok(Model::of_mesh(path, mesh));
    }
    let mut by_image: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for triangle in 0..mesh.triangles.len() {
        let image = images.image_of(triangle).min(images.names.len());
        by_image.entry(image).or_default().push(triangle);
    }
    let parts = match by_image.len() {
        1 => vec![mesh],
        _ => by_image.values().map(|triangles| mesh.part(triangles)).collect(),
    };
    let mut model = Model::of_parts(path, parts);
    for (shape, image) in by_image.into_keys().enumerate() {
        if let Some(name) = images.names.get(image) {
            let material = material(files, &mut model, path, name);
            model.shapes[shape].material = material;
        }
    }
    Ok(model)
}

/// Matte material with an image; `None` with a warning if the image cannot be used.
fn material(files: &dyn Files, model: &mut Model, path: &Path, name: &str) -> Option<usize> {
    let file = NamedFiles::new(files).find(path, &name.replace("<this>", &stem(path)));
    let texture = model.image(files, &file, TextureColorSpace::Srgb, path);
    let texture = texture.map_err(|reason| model.warnings.push(reason)).ok()?;
    let surface = Call::new("gltf_pbr")
        .with("metallic", 0)
        .with("specular", 0.0)
        .with("base_color_texture", Expr::string(texture));
    model.materials.push(ModelMaterial {
        name: stem(&file),
        surface: surface.finish(),
        emissive: false,
        emission: EmissionSides::Both,
        culled: false,
    });
    Some(model.materials.len() - 1)
}
