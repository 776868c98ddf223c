//! `kiln check`: compiles shaders, scenes and models, and reports all errors.

use std::path::Path;

use shading::{Diagnostics, Template};

use renderer_base::files::SharedFiles;
use renderer_cli::CheckArgs;
use renderer_inputs::checking::{Content, check_scene, check_shader};
use renderer_inputs::scene_options::{NamedScene, SceneOptions};
use renderer_inputs::shader_file::{is_shader, read_source};
use renderer_support::terminal::plural;
use renderer_support::{Failure, print, print_result};

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let mut count = Count::default();
    let mut wrong = 0;
    // Two scenes may import the same file, whose errors are printed once.
    let mut printed = Diagnostics::default();
    for path in &args.files {
        let (diagnostics, failed) = match check(path, args, &mut count) {
            Ok(warnings) => {
                let failed = args.warnings_are_errors && !warnings.list.is_empty();
                (warnings, failed)
            }
            Err(diagnostics) => (diagnostics, true),
        };
        print(&Diagnostics { list: printed.add_new(diagnostics.list) });
        wrong += usize::from(failed);
    }
    let files = plural(args.files.len(), "file");
    if wrong > 0 {
        return Err(Failure::User(format!("{files}: {wrong} with mistakes")));
    }
    print_result(&format!("{files}: {}no mistakes\n", count.text()));
    Ok(())
}

/// Result of checking files.
#[derive(Default)]
struct Count {
    units: usize,
    groups: usize,
    scenes: usize,
    models: usize,
}

impl Count {
    fn templates(&mut self, templates: &[Template]) {
        for template in templates {
            match template {
                Template::Unit(_) => self.units += 1,
                Template::Group(_) => self.groups += 1,
            }
        }
    }

    /// The counts in words, with a colon at the end; empty if all are zero.
    fn text(&self) -> String {
        let kinds = [
            (self.units, "unit"),
            (self.groups, "group"),
            (self.scenes, "scene"),
            (self.models, "model"),
        ];
        let parts: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| plural(*count, noun))
            .collect();
        match parts.as_slice() {
            [] => String::new(),
            parts => format!("{}: ", parts.join(", ")),
        }
    }
}

/// The warnings of a file.
fn check(path: &Path, args: &CheckArgs, count: &mut Count) -> Result<Diagnostics, Diagnostics> {
    let checked = if is_shader(path) {
        check_shader(read_source(path)?, &args.source, &args.import, SharedFiles::default())?
    } else {
        check_scene(NamedScene::find(path, SceneOptions::of(&args.source, &args.import))?)?
    };
    count.templates(&checked.templates);
    match checked.content {
        Content::Shaders => {}
        Content::Scene => count.scenes += 1,
        Content::Model => count.models += 1,
    }
    Ok(checked.warnings)
}
