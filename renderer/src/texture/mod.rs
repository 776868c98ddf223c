//! texture
