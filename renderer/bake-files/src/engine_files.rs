//! Names of the files for game engines, in the folder of a bake.

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
