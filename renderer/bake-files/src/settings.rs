//! Settings of a bake of light from its request.

use super::job::{Job, LoadedScene};
use super::scene_model::SceneModel;
use super::{Failure, points, topology, unlit};
use renderer_bake::{
    BakeSettings, FeatureDesc, Include, LightmapFilter, ProbePlaces, SurfaceTextures, Target,
};
use renderer_denoise::{DenoiseError, Denoiser};
use renderer_inputs::bake_request::{BakeFilter, BakeRequest, BakeTarget};
use renderer_scene::SceneDesc;
use renderer_transport::integrator::{Integrator, PhotonSettings};
use renderer_transport::scene::build::Built;

/// The settings for a scene, whose surfaces have these features and textures for the model.
pub(super) fn of(
    job: &Job<'_>,
    include: Include,
    scene: &LoadedScene,
    features: Vec<FeatureDesc>,
    model: Option<&SceneModel>,
) -> Result<BakeSettings, Failure> {
    let (args, request) = (job.args, &job.args.request);
    let LoadedScene { desc, built, .. } = scene;
    Ok(BakeSettings {
        target: target(request, desc, features, textures(request, model))?,
        sides: request.sides(),
        backs: None,
        include,
        order: request.order(),
        samples: request.samples(),
        integrator: integrator(request, built),
        seed: request.scene.seed(desc),
        threads: request.scene.threads(),
        checkpoint: args.checkpoint.clone(),
        resume: args.resume,
        share: args.part,
        keep: None,
    })
}

fn target(
    request: &BakeRequest,
    desc: &SceneDesc,
    features: Vec<FeatureDesc>,
    textures: SurfaceTextures,
) -> Result<Target, Failure> {
    Ok(match request.target() {
        BakeTarget::Texture => Target::Texture {
            scale: request.scale(),
            margin: request.atlas_dilation(),
            denoise: lightmap_filter(request)?,
            unwrap: !request.no_unwrap,
            topologies: topology::of_shapes(desc),
            features,
            textures,
        },
        BakeTarget::Vertex => Target::Vertex,
        BakeTarget::Probes => Target::Probes(match &request.probe_points {
            Some(path) => ProbePlaces::Points(points::read(path)?),
            None => ProbePlaces::Grid(request.probe_spacing),
        }),
    })
}

/// Features for the textures of models.
fn textures(request: &BakeRequest, model: Option<&SceneModel>) -> SurfaceTextures {
    let mut features = model.map_or(vec![], SceneModel::features);
    if request.unlit {
        features.extend(unlit::features());
    }
    SurfaceTextures {
        // Without its own textures, `unlit.glb` uses those of the lightmap.
        resolution: request.textures().max(1),
        features,
    }
}

/// The filter of `--denoise`. A damaged library is reported before light is gathered.
fn lightmap_filter(request: &BakeRequest) -> Result<LightmapFilter, Failure> {
    let open = || Denoiser::open(1).map(|_| LightmapFilter::Learned);
    Ok(match request.denoise {
        None => LightmapFilter::None,
        Some(BakeFilter::Bilateral) => LightmapFilter::Bilateral,
        Some(BakeFilter::Oidn) => open()?,
        Some(BakeFilter::Auto) => match open() {
            Err(DenoiseError::Missing) => LightmapFilter::Bilateral,
            opened => opened?,
        },
    })
}

/// The integrator of a bake: a single photon pass, all components of light, `photon` in place of `auto`.
fn integrator(request: &BakeRequest, built: &Built) -> Integrator {
    match built.integrator.with_depth(request.scene.depth) {
        Integrator::Photon(photon) => {
            Integrator::Photon(PhotonSettings { progressive: false, show: None, ..photon })
        }
        // Baked light is indirect, for which photon maps are efficient.
        Integrator::Auto(path) => {
            Integrator::Photon(PhotonSettings { depth: path.depth, ..PhotonSettings::default() })
        }
        path @ Integrator::Path(_) => path,
    }
}
