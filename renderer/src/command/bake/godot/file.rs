//! Names of the files for Godot.

pub(super) const SCENE: &str = "godot.tscn";

pub(super) const DATA: &str = "godot.tres";

pub(super) const IMAGE: &str = "godot.exr";

pub(super) const IMAGE_IMPORT: &str = "godot.exr.import";

pub(super) const GLB: &str = "godot.glb";

pub(super) const GLB_IMPORT: &str = "godot.glb.import";

/// All names; the last two are those of the model.
pub(in super::super) const FILES: [&str; 6] = [SCENE, DATA, IMAGE, IMAGE_IMPORT, GLB, GLB_IMPORT];
