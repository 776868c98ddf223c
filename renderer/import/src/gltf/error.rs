//! Errors of glTF documents, and what to do about them.

/// Why a document makes no sense, without the name of the file.
pub(super) type Fault = String;

/// About a file that cannot be read at all.
pub(super) const WHOLE: &str = "export it again as glTF 2.0, and see that all of it was copied";
/// About buffers that are missing or short.
pub(super) const BESIDE: &str =
    "a .gltf file needs its .bin files and images where it says, relative to it; a .glb file can hold them";
/// About all else.
pub(super) const VALIDATOR: &str =
    "the Khronos glTF validator lists all mistakes of a file; export it again, or mend what is named";
