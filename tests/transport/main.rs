//! Tests of light transport: sampling, scattering, intersection, lights, cameras, integrators and baked light.

mod analytic;
mod backgrounds;
mod bake;
mod bsdf;
mod camera;
mod camera_in_media;
mod closures;
mod cloud;
mod contacts;
mod damaged;
mod film;
mod footprints;
mod haze;
mod intersect;
mod invariances;
mod lights;
mod media;
mod noise;
mod passes;
mod photon;
mod queries;
mod references;
mod sampling;
mod self_intersection;
mod subsurface;
mod trace;
