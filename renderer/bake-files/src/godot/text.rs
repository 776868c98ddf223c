//! Godot's text formats: scenes, resources, settings of imports.

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path of nodes.
pub(super) fn node_path(path: &str) -> String {
    format!("NodePath({})", quoted(path))
}

/// Numbers in a constructor.
pub(super) fn packed<T: std::fmt::Display>(name: &str, values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("{name}({})", values.join(", "))
}

/// A stack of uncompressed slices, so that values and size stay as baked.
pub(super) fn image_import(slices: u32) -> Vec<u8> {
    format!(
        "[remap]\n\nimporter=\"2d_array_texture\"\n\
        type=\"CompressedTexture2DArray\"\n\n[params]\n\ncompress/mode=3\ncompress/channel_pack=1\n\
        mipmaps/generate=false\nslices/horizontal=1\nslices/vertical={slices}\n"
    )
    .into_bytes()
}

/// The second set of coordinates is kept, in full precision, and so are the names of nodes.
pub(super) const MODEL_IMPORT: &str = "[remap]\n\nimporter=\"scene\"\nimporter_version=1\n\
    type=\"PackedScene\"\n\n[params]\n\nnodes/use_name_suffixes=false\nnodes/use_node_type_suffixes=false\n\
    meshes/light_baking=1\nmeshes/force_disable_compression=true\ngltf/naming_version=2\n";

/// Data of no probes.
pub(super) const NO_PROBES: [(&str, &str); 6] = [
    ("bounds", "AABB(0, 0, 0, 0, 0, 0)"),
    ("bsp", "PackedInt32Array()"),
    ("interior", "false"),
    ("points", "PackedVector3Array()"),
    ("sh", "PackedColorArray()"),
    ("tetrahedra", "PackedInt32Array()"),
];

/// The resource of a lightmap and probes.
pub(super) fn light_data<V: AsRef<str>>(users: &[String], probes: &[(&str, V)]) -> String {
    let probes: Vec<String> = (probes.iter())
        .map(|(key, value)| format!("\"{key}\": {}", value.as_ref()))
        .chain(["\"baked_exposure\": 1.0".to_owned(), "\"lightprobe_hash\": 0".to_owned()])
        .collect();
    format!(
        "[gd_resource type=\"LightmapGIData\" load_steps=2 format=3]\n\n\
         [ext_resource type=\"CompressedTexture2DArray\" path=\"godot.exr\" id=\"1\"]\n\n\
         [resource]\n\
         lightmap_textures = Array[TextureLayered]([ExtResource(\"1\")])\n\
         uses_spherical_harmonics = true\n\
         user_data = [{}]\n\
         probe_data = {{\n{}\n}}\n\
         _uses_packed_directional = true\n",
        users.join(", "),
        probes.join(",\n"),
    )
}

/// The node of an instance of the model.
pub(super) fn instance(name: &str) -> String {
    format!("[node name={} parent=\".\" instance=ExtResource(\"2\")]\n\n", quoted(name))
}

/// The scene of this name, with an instance of the model, if there is one.
pub(super) fn scene(name: &str, instance: &str) -> String {
    let (steps, model) = match instance.is_empty() {
        true => (2, ""),
        false => (3, "[ext_resource type=\"PackedScene\" path=\"godot.glb\" id=\"2\"]\n"),
    };
    format!(
        "[gd_scene load_steps={steps} format=3]\n\n\
         [ext_resource type=\"LightmapGIData\" path=\"godot.tres\" id=\"1\"]\n{model}\n\
         [node name={name} type=\"Node3D\"]\n\n{instance}\
         [node name=\"LightmapGI\" type=\"LightmapGI\" parent=\".\"]\n\
         light_data = ExtResource(\"1\")\n"
    )
}
