//! The text of the stage's scene.

use std::fmt::Write as _;
use std::path::Path;

use shading::Diagnostic;
use shading::syntax::ast::Expr;

use super::subject::{Shows, Subject};
use super::{backdrop, cloth, model};
use crate::stage_args::{On, StageArgs};

/// Names of the group around the shader, of the instance in it, and of the environment's shader.
pub(super) const GROUP: &str = "stage_group";
pub(super) const INSTANCE: &str = "stage_shown";
pub(super) const SKY: &str = "sky.shader";

/// Shape on the stage.
pub(super) enum Props {
    /// A flat piece that fills the picture, from uv (0, 0) to (1, 1).
    Swatch,
    /// A shape before the backdrop: declarations of it.
    Shape(String),
    /// A cloth before the backdrop.
    Cloth,
}

impl Props {
    pub(super) fn new(subject: &Subject, args: &StageArgs) -> Result<Props, Diagnostic> {
        let shape = |text: &str| Ok(Props::Shape(text.to_owned()));
        let of_example = || subject.example.as_ref()?.on.clone();
        let on = args.on.clone().or_else(of_example);
        match (&on, &subject.shows) {
            (None, Shows::Output(_)) => Ok(Props::Swatch),
            (None, Shows::Surface(_) | Shows::Background) | (Some(On::Ball), _) => shape(
                "shape subject : sphere { radius = 1; transform = translate(0, 1, 0) * rotate((0, 1, 0), -20); \
                 material = subject; }",
            ),
            (Some(On::Plane), _) => shape(
                "shape subject : rectangle { size = (2, 2); transform = translate(0, 1.02, 0) * rotate((1, 0, 0), -20); \
                 material = subject; }",
            ),
            (Some(On::Cube), _) => shape(
                "shape subject : cube { size = 1.5; transform = translate(0, 0.75, 0) * rotate((0, 1, 0), 32); \
                 material = subject; }",
            ),
            (Some(On::Cloth), _) => Ok(Props::Cloth),
            (Some(On::Model(path)), _) => model::declarations(path).map(Props::Shape),
        }
    }

    /// Files that are made for them.
    pub(super) fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let backdrop = || (backdrop::FILE, backdrop::obj().into_bytes());
        match self {
            Props::Swatch => vec![],
            Props::Shape(_) => vec![backdrop()],
            Props::Cloth => vec![backdrop(), (cloth::FILE, cloth::obj().into_bytes())],
        }
    }

    fn declarations(&self) -> String {
        match self {
            Props::Swatch => "shape subject : rectangle { size = (2, 2); material = subject; }".to_owned(),
            Props::Shape(text) => text.clone(),
            Props::Cloth => {
                format!("shape subject : mesh {{ file = \"{}\"; material = subject; }}", cloth::FILE)
            }
        }
    }
}

/// Settings of all stages.
const FILM: &str = "sampler { spp = 64; }
integrator : path { }
";

/// Camera of a swatch. The box filter keeps samples inside the swatch.
const FLAT: &str = "film { size = (512, 512); filter = box; }
camera main : orthographic { width = 2; height = 2; from = (0, 0, 1); to = (0, 0, 0); }
";

/// Light of shapes that are not flat.
const STUDIO_LIGHT: &str = "light studio : studio { }\n";

/// Camera of shapes that are not flat, and the backdrop: squares of half a metre, which show refraction. The stage uses
/// no unit of the library, because a user's unit may have its name.
const STUDIO: &str = "film { size = (512, 512); filter = blackman_harris(1.5); }
camera main : perspective { from = (0, 2.1, 6.6); to = (0, 0.93, 0); fov = 23; }
surface stage_backdrop()
{
    Ci = mix(0.24, 0.3, mod(floor(24 * u) + floor(24 * v), 2)) * diffuse(N);
}
material backdrop = stage_backdrop();
";

/// The scene that shows a shader of a file, or of the shipped library.
pub(super) fn text(file: Option<&Path>, subject: &Subject, props: &Props) -> String {
    let mut text = FILM.to_owned();
    if let Some(file) = file.and_then(Path::file_name) {
        let _ = writeln!(text, "import {};", Expr::string(file.to_string_lossy()));
    }
    text.push_str(&material(subject));
    if let Some(kind) = subject.example.as_ref().and_then(|example| example.overrides.as_ref()) {
        let _ = writeln!(text, "override {kind} = {}();", subject.name);
    }
    match props {
        Props::Swatch => text.push_str(FLAT),
        Props::Shape(_) | Props::Cloth => {
            text.push_str(STUDIO);
            if !matches!(subject.shows, Shows::Background) {
                text.push_str(STUDIO_LIGHT);
            }
            let _ = writeln!(
                text,
                "shape backdrop : mesh {{ file = \"{}\"; material = backdrop; }}",
                backdrop::FILE
            );
        }
    }
    text + &props.declarations() + "\n"
}

fn material(subject: &Subject) -> String {
    let arguments: Vec<String> = (subject.inputs.iter())
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let call = |name: &str| format!("{}{name}({})", subject.name, arguments.join(", "));
    let (lines, instance) = match &subject.example {
        Some(example) => (example.lines.clone(), example.instance.as_str()),
        None => (format!("{};", call(&format!(" {INSTANCE}"))), INSTANCE),
    };
    let group = |more: &str, surface: &str| {
        format!(
            "group {GROUP}(output closure color surface)\n{{\n    {lines}\n    {more}surface = {surface};\n}}\n"
        )
    };
    match &subject.shows {
        Shows::Surface(_) if subject.example.is_none() && subject.layers.is_none() => {
            format!("material subject = {};\n", call(""))
        }
        Shows::Surface(output) => {
            let output = output.iter().map(|output| format!(".{output}")).collect::<String>();
            group("", &format!("{instance}{output}")) + &format!("material subject = {GROUP}();\n")
        }
        Shows::Background => format!(
            "light sky : environment {{ shader = {}; }}\n\
             surface stage_mirror() {{ Ci = 0.95 * reflection(N); }}\nmaterial subject = stage_mirror();\n",
            call("")
        ),
        Shows::Output(output) => {
            let light = format!("stage_light stage_value(radiance = {instance}.{output});\n    ");
            STAGE_LIGHT.to_owned()
                + &group(&light, "stage_value.surface")
                + &format!("material subject {{ surface = {GROUP}(); emission = both; }}\n")
        }
    }
}

/// A surface that shows a value.
const STAGE_LIGHT: &str = "surface stage_light(color radiance = 0, output closure color surface = 0) { surface = radiance * emission(); }
";
