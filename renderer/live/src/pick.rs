//! Inspection of a pixel: the surface, and inputs and outputs of the layers of its shader there.

use std::fmt::Write as _;

use glam::Vec2;
use shading::{ShaderGlobals, ShadingContext};

use super::session::{Session, Shown};
use renderer_cli::{DebugArgs, LiveArgs};
use renderer_geometry::Interaction;
use renderer_geometry::camera::FilmSample;
use renderer_inputs::stage;
use renderer_shade::point_text;

/// Tells of a point of the picture, from (0, 0) at the top left to (1, 1).
pub(super) fn description(shown: &Shown, at: [f32; 2], args: &LiveArgs, session: &Session) -> String {
    let image = &shown.image;
    let pixel = [at[0] * image.width as f32, at[1] * image.height as f32];
    let [x, y] = [pixel[0] as usize, pixel[1] as usize];
    if x >= image.width || y >= image.height {
        return String::new();
    }
    let color = image.rgb(x, y);
    let mut text = format!("radiance    {}\n", numbers(&[color.r, color.g, color.b]));
    let Some(hit) = hit(shown, at) else {
        return text + "no surface\n";
    };
    let name = &shown.scene.names.shapes[hit.shape.0 as usize];
    let _ = write!(
        text,
        "object      {}\nmaterial    {}\nP           {}\nN           {}\nu, v        {}\n",
        name.object,
        name.material,
        numbers(&shown.scene.scene.host().space().world(hit.p).to_array()),
        numbers(&hit.n.to_array()),
        numbers(&hit.uv.to_array())
    );
    if &*name.object == stage::SUBJECT && stage::is_shader(&args.scene) {
        let question = DebugArgs {
            shader: args.scene.clone().into(),
            at: hit.uv.into(),
            params: session.look().params.into_iter().collect(),
            levels: None,
            define: args.import.macros(),
            source: args.source.clone(),
        };
        match point_text(&question, session.overlay(), |globals| move_to(globals, &hit)) {
            Ok(layers) => text = text + "\n" + &layers,
            Err(error) => text = format!("{text}\n{error}"),
        }
    }
    text
}

fn hit(shown: &Shown, at: [f32; 2]) -> Option<Interaction> {
    let camera = &shown.camera;
    let [width, height] = camera.view().resolution;
    let point = Vec2::from(at) * Vec2::new(width as f32, height as f32);
    let scene = &shown.scene.scene;
    let sample = FilmSample { point, lens_u: Vec2::splat(0.5), time: 0.0 };
    let ray = scene.camera_ray(camera, &sample, &mut ShadingContext::new(scene.host().clone()));
    (!ray.throughput.is_black()).then(|| scene.intersect(&ray.ray))?
}

/// Numbers with five digits after the point at most.
fn numbers(list: &[f32]) -> String {
    let short = |v: &f32| format!("{}", (f64::from(*v) * 1e5).round() / 1e5 + 0.0);
    list.iter().map(short).collect::<Vec<_>>().join(" ")
}

/// Moves the shading point to a hit.
fn move_to(globals: &mut ShaderGlobals, hit: &Interaction) {
    globals.p = hit.p.to_array().into();
    globals.i = (-hit.wo).to_array().into();
    globals.n = hit.n.to_array().into();
    globals.ng = hit.ng.to_array().into();
    globals.dpdu = hit.dpdu.to_array().into();
    globals.dpdv = hit.dpdv.to_array().into();
    globals.backfacing = i32::from(hit.wo.dot(hit.ng) < 0.0);
}
