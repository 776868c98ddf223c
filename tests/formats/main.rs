//! Tests of files: scenes, models, images and textures.

mod compare;
mod gltf;
mod images;
mod mitsuba;
mod models;
mod scene;
mod textures;
