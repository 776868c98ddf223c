//! Files for game engines: their names in the folder of a bake, and the bakes that have them.

use shading::Diagnostic;

use super::Failure;
use renderer_inputs::bake_request::{BakeRequest, BakeTarget, GameEngine};

/// Checks that the requested engine can read the bake.
pub(super) fn check(request: &BakeRequest) -> Result<(), Failure> {
    let (engine, needs_grid) = match request.engine {
        None => return Ok(()),
        Some(GameEngine::Bevy) => ("Bevy", "Bevy's irradiance volumes are grids"),
        Some(GameEngine::Godot) => (
            "Godot",
            "Kiln divides the space between probes for Godot only where they are a grid",
        ),
    };
    let (message, hint) = match request.target() {
        BakeTarget::Vertex => (
            format!("{engine} reads no light at vertices"),
            format!("--for {} is for --target texture and --target probes", engine.to_lowercase()),
        ),
        BakeTarget::Probes if request.probe_points.is_some() => (
            needs_grid.to_owned(),
            "leave --probe-points out, and say how dense the grid is by --probe-spacing".to_owned(),
        ),
        BakeTarget::Texture | BakeTarget::Probes => return Ok(()),
    };
    Err(Failure::of(Diagnostic::error(message).hint(hint)))
}

/// Files for Bevy.
pub(super) mod bevy {
    pub(crate) const MANIFEST: &str = "bevy.json";
    pub(crate) const GLB: &str = "bevy.glb";
    pub(crate) const LIGHTMAP: &str = "bevy_lightmap.ktx2";
    pub(crate) const VOLUME: &str = "bevy_volume.ktx2";

    /// Names of the first page's files.
    pub(crate) const FILES: [&str; 4] = [MANIFEST, GLB, LIGHTMAP, VOLUME];
}

/// Files for Godot.
pub(super) mod godot {
    pub(crate) const SCENE: &str = "godot.tscn";
    pub(crate) const DATA: &str = "godot.tres";
    pub(crate) const IMAGE: &str = "godot.exr";
    pub(crate) const IMAGE_IMPORT: &str = "godot.exr.import";
    pub(crate) const GLB: &str = "godot.glb";
    pub(crate) const GLB_IMPORT: &str = "godot.glb.import";

    /// Names of the files; the last two belong to the model.
    pub(crate) const FILES: [&str; 6] = [SCENE, DATA, IMAGE, IMAGE_IMPORT, GLB, GLB_IMPORT];
}
