//! shading
