//! Reference of all keys of the scene format, from which `renderer/docs/scene-format.md` is generated.

use super::light_links::LinkBlock;
use super::shape_block::ShapeBlock;
use super::table::Key;
use super::tessellation::TessellatedBlock as _;
use super::{
    camera, directional, directional_area, environment, film, function, integrator, light, material, place,
    point, projector, ray_override, shape, sky, strands, studio, surroundings, transform,
};

/// Keys of one kind of block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Block as written in scene files: `camera NAME : perspective`.
    pub title: &'static str,
    /// Keys with their documentation.
    pub keys: Vec<(&'static str, &'static str)>,
}

/// Returns the keys of the scene format, block by block.
pub fn reference() -> Vec<Block> {
    vec![
        block("film", film::FILM),
        block("sampler", film::SAMPLER),
        block("scene", surroundings::SCENE),
        block("integrator : path or auto", integrator::PATH),
        block("integrator : photon", integrator::PHOTON),
        block("camera NAME : perspective", camera::PERSPECTIVE),
        block("camera NAME : perspective or custom", camera::LENS),
        block("camera NAME : orthographic", camera::ORTHOGRAPHIC),
        block("camera NAME : panoramic", camera::PANORAMIC),
        block("camera NAME : cube", camera::CUBE),
        block("camera NAME : fisheye", camera::FISHEYE),
        block("camera NAME : custom", camera::CUSTOM),
        block("camera NAME : any kind", camera::ANY),
        block("material NAME = CALL", material::MATERIAL),
        block("shape NAME : sphere", shape::SPHERE),
        block("shape NAME : plane", shape::PLANE),
        block("shape NAME : rectangle", shape::RECTANGLE),
        block("shape NAME : disk", shape::DISK),
        block("shape NAME : cube", shape::CUBE),
        block("shape NAME : cylinder", shape::CYLINDER),
        block("shape NAME : cone", shape::CONE),
        block("shape NAME : mesh", shape::MESH),
        block("shape NAME : mesh, and imports: subdivision", ShapeBlock::SUBDIVISION),
        block(
            "shape NAME : mesh, plane, rectangle or cube, and imports: size of triangles",
            ShapeBlock::DICING,
        ),
        block("shape NAME : curves", strands::CURVES),
        block("shape NAME : points", strands::POINTS),
        block("shape NAME : instance", shape::INSTANCE),
        joined("shape NAME : any kind", &[shape::ANY, LinkBlock::LINKS]),
        joined("light NAME : any kind", &[light::ANY, LinkBlock::LINKS]),
        block("light NAME : environment", environment::ENVIRONMENT),
        block("light NAME : studio", studio::STUDIO),
        block("light NAME : sky", sky::SKY),
        block("light NAME : point or spot", point::POINT),
        block("light NAME : spot, or point with a profile", point::AIM),
        block("light NAME : spot", point::SPOT),
        block("light NAME : projector", projector::PROJECTOR),
        block("light NAME : spot or projector, with a picture", projector::PROJECTOR_TEXTURE),
        block("light NAME : directional", directional::DIRECTIONAL),
        block("light NAME : directional_area", directional_area::DIRECTIONAL_AREA),
        joined("import \"MODEL\" as NAME", &[place::IMPORT, LinkBlock::LINKS]),
        block("override KIND = CALL", ray_override::OVERRIDE),
        Block { title: "transforms", keys: transform::FUNCTIONS.to_vec() },
        Block {
            title: "further functions",
            keys: function::FUNCTIONS.to_vec(),
        },
    ]
}

fn block<T>(title: &'static str, keys: &[Key<T>]) -> Block {
    joined(title, &[keys])
}

/// The keys of several tables as one block.
fn joined<T>(title: &'static str, tables: &[&[Key<T>]]) -> Block {
    let keys = tables.iter().copied().flatten();
    Block { title, keys: keys.map(|key| (key.name, key.doc)).collect() }
}
