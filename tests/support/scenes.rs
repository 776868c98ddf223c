//! Small scenes built in code, and their pictures.

use std::f32::consts::{PI, TAU};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Vec2, Vec3};
use renderer::bake::sh::{ShOrder, basis};
use renderer::bake::{self, BakeSettings, Include, ProbePlaces, Product, Target};
use renderer::camera::{Camera, CameraDesc, CameraView, Projection, look_at};
use renderer::color::Rgb;
use renderer::film::Film;
use renderer::geometry::{Geometry, Mesh, Shape};
use renderer::integrator::{Integrator, PathSettings, PhotonSettings};
use renderer::light::{DirectionalLight, Light};
use renderer::material::{Host, Instances, MaterialId, Sides, closure_registry};
use renderer::render::{RenderSettings, Rendered, Silent, render};
use renderer::scene::desc::SceneDesc;
use renderer::scene::load::{LoadOptions, load};
use renderer::scene::{Scene, SceneLinks, SceneParts};
use shading::hir::verify::verify_all;
use shading::{InstanceOptions, ShaderInstance, ShaderUnitTemplate, ShadingSystem, Source};

/// A scene under construction.
#[derive(Default)]
pub struct SceneBuilder {
    host: Arc<Host>,
    shapes: Vec<Shape>,
    names: Vec<Arc<str>>,
    shape_materials: Vec<MaterialId>,
    materials: Vec<(Instances, Sides)>,
    lights: Vec<Light>,
}

impl SceneBuilder {
    pub fn new() -> SceneBuilder {
        SceneBuilder::default()
    }

    /// A material with a surface shader of this body.
    pub fn material(&mut self, body: &str) -> MaterialId {
        self.material_with(body, Sides::default())
    }

    /// Adds a material with a surface shader of this body, and the sides that scatter or emit.
    pub fn material_with(&mut self, body: &str, sides: Sides) -> MaterialId {
        self.materials.push((compile_both(body, &self.host), sides));
        MaterialId(self.materials.len() as u32 - 1)
    }

    /// Places a shape.
    pub fn shape(
        &mut self,
        geometry: Geometry,
        world_from_object: Affine3A,
        material: MaterialId,
    ) -> &mut Shape {
        self.shape_materials.push(material);
        self.names.push("".into());
        self.shapes.push(Shape::new(geometry, world_from_object));
        self.shapes.last_mut().expect("one was just added")
    }

    /// Sets the name of the last shape.
    pub fn name(&mut self, name: &str) {
        *self.names.last_mut().expect("there is a shape") = name.into();
    }

    pub fn light(&mut self, light: Light) {
        self.lights.push(light);
    }

    /// The scene.
    pub fn build(self) -> Scene {
        let SceneBuilder { host, shapes, names, shape_materials, materials, lights } = self;
        let parts = SceneParts {
            camera_shader: None,
            shapes,
            shape_names: names,
            shape_materials,
            materials,
            lights,
            backgrounds: vec![],
            host,
            camera: CameraView::default(),
            threads: 1,
            build_quality: None,
            medium: None,
            links: SceneLinks::default(),
            earlier: None,
        };
        Scene::new(parts).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Loads a scene from text, with changes such as `integrator=photon`.
pub fn load_text(text: &str, set: &[&str]) -> SceneDesc {
    let folder = tempfile::tempdir().expect("a temporary folder can be created");
    let path = folder.path().join("scene.kiln");
    std::fs::write(&path, text).expect("the scene can be written");
    let options = LoadOptions {
        set: set.iter().map(|&s| s.into()).collect(),
        ..LoadOptions::default()
    };
    let (desc, _) = load(&path, &options).unwrap_or_else(|errors| panic!("{errors}"));
    desc
}

/// The instance of a surface shader with this body.
pub fn compile(body: &str, host: &Arc<Host>) -> Arc<ShaderInstance> {
    compile_both(body, host).full
}

/// The instances of a surface shader with this body: the full one, and the reduced ones for shadow rays, as in scenes.
pub fn compile_both(body: &str, host: &Arc<Host>) -> Instances {
    verify_all();
    let system = ShadingSystem::new(closure_registry(), host.clone());
    let source = Source::new("test.ksl", format!("surface test() {{ {body} }}"));
    let make = |unit: &Arc<ShaderUnitTemplate>| {
        let options = InstanceOptions::default();
        let full = system.instantiate(unit, &options)?;
        Instances::new(full, options, host.purpose(), |options| system.instantiate(unit, options))
    };
    system
        .unit(source)
        .and_then(|unit| make(&unit))
        .unwrap_or_else(|errors| panic!("{errors}"))
}

pub fn mesh(mesh: Mesh) -> Geometry {
    Geometry::Mesh(Arc::new(mesh))
}

/// A closed mesh like a sphere, with normals and texture coordinates.
pub fn globe(rings: u32, sectors: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..=rings {
        for j in 0..=sectors {
            let (v, u) = (i as f32 / rings as f32, j as f32 / sectors as f32);
            let (sin_theta, cos_theta) = (v * PI).sin_cos();
            // The seam must be closed to the last bit.
            let (sin_phi, cos_phi) = ((j % sectors) as f32 / sectors as f32 * TAU).sin_cos();
            let radius = if i == 0 || i == rings { 0.0 } else { sin_theta };
            let p = Vec3::new(radius * cos_phi, radius * sin_phi, -cos_theta);
            mesh.positions.push(p);
            mesh.normals.push(p);
            mesh.uvs.push(Vec2::new(u, v));
        }
    }
    for i in 0..rings {
        for j in 0..sectors {
            let a = i * (sectors + 1) + j;
            let c = a + sectors + 1;
            mesh.triangles.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
        }
    }
    mesh
}

/// An orthographic camera at `from` that sees a spot of the given width about `to`.
pub fn spot_meter(from: Vec3, to: Vec3, width: f32) -> CameraDesc {
    let up = if (to - from).normalize().y.abs() > 0.9 { Vec3::X } else { Vec3::Y };
    CameraDesc {
        world_from_camera: look_at(from, to, up).expect("from and to differ"),
        projection: Projection::Orthographic { width: Some(width), height: None },
        near: 0.0,
        far: f32::INFINITY,
    }
}

/// A panoramic camera at a point.
pub fn all_around(from: Vec3) -> CameraDesc {
    CameraDesc {
        world_from_camera: Affine3A::from_translation(from),
        projection: Projection::Panoramic,
        near: 0.0,
        far: f32::INFINITY,
    }
}

/// Settings for rendering a scene.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Film size, in pixels.
    pub size: [u32; 2],
    /// Samples per pixel.
    pub spp: u64,
    /// Number of the first sample.
    pub first: u64,
    pub seed: u64,
    pub threads: usize,
    pub path: PathSettings,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            size: [8, 8],
            spp: 64,
            first: 0,
            seed: 1,
            threads: 2,
            path: PathSettings::default(),
        }
    }
}

/// Renders a scene to its end.
pub fn render_scene(scene: &Scene, settings: &RenderSettings) -> Rendered {
    render(scene, settings, &Silent, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"))
}

/// The film of a scene.
pub fn film(scene: &Scene, camera: &CameraDesc, look: Look) -> Film {
    let [width, height] = look.size;
    let settings = RenderSettings {
        variance: true,
        integrator: Integrator::Path(look.path),
        samples: look.first..look.first + look.spp,
        total: look.first + look.spp,
        seed: look.seed,
        threads: look.threads,
        ..RenderSettings::of_camera(
            Camera::new(camera, width, height).unwrap_or_else(|error| panic!("{error}")),
            look.size,
        )
    };
    let rendered = render_scene(scene, &settings);
    assert_eq!(rendered.state.film.counts().non_finite, 0, "samples are finite");
    rendered.state.film
}

/// The mean over the film, and the standard error of its red channel.
pub fn mean(scene: &Scene, camera: &CameraDesc, look: Look) -> (Rgb, f32) {
    let film = film(scene, camera, look);
    let image = film.develop();
    let variance = film.variance().expect("the variance is kept");
    let n = (image.width * image.height) as f32;
    let sum: Rgb = image.data.chunks_exact(3).map(|c| Rgb::new(c[0], c[1], c[2])).sum();
    let error = variance.data.iter().step_by(3).sum::<f32>().sqrt() / n;
    (sum / n, error)
}

/// Radiance measured by probes above a floor with this shader, which is white within 2 m of the origin: the mean over
/// all directions of the incident radiance 1 m above the origin, by paths and by photon maps. A sun above gives white
/// the radiance 1.
pub fn probed_floor(mut scene: SceneBuilder, body: &str) -> [f32; 2] {
    let floor = scene.material(body);
    scene.shape(mesh(Mesh::plane(20.0)), Affine3A::IDENTITY, floor);
    let irradiance = Rgb::WHITE * PI;
    scene.light(Light::Directional(DirectionalLight::new(Vec3::NEG_Y, irradiance, 0.0)));
    let scene = scene.build();
    let names = vec![String::new(); scene.shapes().len()];
    let integrators =
        [Integrator::Path(PathSettings::default()), Integrator::Photon(PhotonSettings::default())];
    integrators.map(|integrator| {
        let settings = BakeSettings {
            target: Target::Probes(ProbePlaces::Points(vec![Vec3::Y])),
            sides: bake::Sides::Auto,
            backs: None,
            include: Include::Indirect,
            order: ShOrder::One,
            samples: 4096,
            integrator,
            seed: 1,
            threads: 2,
            checkpoint: None,
            resume: false,
            share: None,
            keep: None,
        };
        let baked = bake::bake(&scene, &names, &settings, &bake::Silent, &AtomicBool::new(false))
            .unwrap_or_else(|error| panic!("{error}"))
            .expect("the render is not interrupted");
        let Product::Probes(probes) = &baked.product else {
            panic!("probes were baked")
        };
        probes.coefficients(0)[0].g * basis(Vec3::Y)[0]
    })
}

/// Expected result of [`probed_floor`]: the share of all directions that see the white disk.
pub fn white_share() -> f32 {
    0.5 * (1.0 - 1.0 / 5_f32.sqrt())
}
