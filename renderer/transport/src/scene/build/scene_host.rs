//! Hosts for the shaders of a description.

use std::sync::Arc;

use crate::material::Host;
use renderer_base::memory;
use renderer_scene::SceneDesc;

/// Registers the textures of imported models with a host.
pub(in crate::scene) fn with_names(host: Host, desc: &SceneDesc) -> Arc<Host> {
    for texture in &desc.textures {
        host.name_texture(texture.name.clone(), texture.source.clone(), texture.color_space);
    }
    Arc::new(host)
}

/// Creates the host of a scene, with the memory limit of its textures.
pub(in crate::scene) fn host(desc: &SceneDesc) -> Host {
    let limit = desc
        .texture_memory
        .map_or_else(memory::for_textures, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    unlimited_host(desc).with_texture_memory(limit)
}

/// Creates the host of a scene without a memory limit for textures.
pub(in crate::scene) fn unlimited_host(desc: &SceneDesc) -> Host {
    Host::new(desc.texture_directories.clone()).with_files(desc.file_system.clone())
}
