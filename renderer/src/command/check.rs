//! `kiln check`: is what is in these files right?

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use shading::{Diagnostic, Diagnostics, Source};

use super::{Failure, print};
use crate::cli::CheckArgs;
use crate::material::Host;
use crate::scene::build;
use crate::scene::load::{LoadOptions, load};

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let mut errors = false;
    for path in &args.files {
        let (diagnostics, failed) = match check(path) {
            Ok(warnings) => {
                let failed = args.warnings_are_errors && !warnings.list.is_empty();
                (warnings, failed)
            }
            Err(diagnostics) => (diagnostics, true),
        };
        print(&diagnostics);
        errors |= failed;
    }
    if errors {
        Err(Failure::User(String::new()))
    } else {
        Ok(())
    }
}

/// The warnings of a file.
fn check(path: &Path) -> Result<Diagnostics, Diagnostics> {
    if is_shader(path) {
        let source = read_source(path)?;
        let system = build::shading_system(Arc::new(Host::new(vec![])));
        let loaded = system.load(source)?;
        let mut diagnostics = loaded.warnings;
        for template in &loaded.templates {
            if let Err(errors) = system.check(template) {
                diagnostics.list.extend(errors.list);
            }
        }
        return if diagnostics.has_errors() {
            Err(diagnostics)
        } else {
            Ok(diagnostics)
        };
    }
    let (desc, mut warnings) = load(path, &LoadOptions::default())?;
    warnings.list.extend(build::check(&desc)?.list);
    Ok(warnings)
}

/// Whether a file is shader source by its name.
pub(super) fn is_shader(path: &Path) -> bool {
    matches!(
        path.extension().and_then(OsStr::to_str),
        Some("ksl" | "osl" | "tsl")
    )
}

/// Reads shader source.
pub(super) fn read_source(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(error) => Err(Diagnostic::error(format!(
            "cannot read {}: {error}",
            path.display()
        ))),
    }
}
