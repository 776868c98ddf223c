//! Names of the files for Bevy.

pub(super) const MANIFEST: &str = "bevy.json";

pub(super) const GLB: &str = "bevy.glb";

pub(super) const LIGHTMAP: &str = "bevy_lightmap.ktx2";

pub(super) const VOLUME: &str = "bevy_volume.ktx2";

/// All names, but for those of pages.
pub(in super::super) const FILES: [&str; 4] = [MANIFEST, GLB, LIGHTMAP, VOLUME];
