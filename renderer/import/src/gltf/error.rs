//! Errors in glTF documents, and advice to the user.

/// Description of an error in a document, without the file name.
pub(super) type GltfError = String;

/// Advice for files that cannot be read at all.
pub(super) const EXPORT_HINT: &str = "export it again as glTF 2.0, and see that all of it was copied";
/// Advice for missing or short buffers.
pub(super) const BUFFER_HINT: &str =
    "a .gltf file needs its .bin files and images where it says, relative to it; a .glb file can hold them";
/// Advice for all other errors.
pub(super) const VALIDATOR_HINT: &str = "the Khronos glTF validator lists all errors of a file; export the file again, or correct the named element";
