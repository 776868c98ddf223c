//! Error type of glTF documents.

/// Why a document makes no sense, without the name of the file.
pub(super) type Fault = String;
