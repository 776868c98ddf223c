//! Tests of files: scenes, models, images and textures.

mod compare;
mod embree;
mod gltf;
mod ies;
mod images;
mod mitsuba;
mod models;
mod scene;
mod textures;
