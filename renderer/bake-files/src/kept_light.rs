//! The file of a folder that keeps gathered light for the next bake (`--keep`).

use shading::{Diagnostic, Diagnostics};

use super::folder::{Folder, KEPT};
use renderer_bake::{BakeCache, Baked};
use renderer_base::files::read_regular;
use renderer_inputs::bake_request::BakeRequest;

/// Light of an earlier bake with `--keep`; empty if there is none. A file that cannot be used causes a warning and is
/// replaced.
pub(super) fn earlier(
    request: &BakeRequest,
    folder: Option<&Folder>,
    warnings: &mut Diagnostics,
) -> Option<BakeCache> {
    let folder = folder.filter(|_| request.keep)?;
    let path = folder.path().join(KEPT);
    if !path.exists() {
        return Some(BakeCache::default());
    }
    let read = read_regular(&path).map_err(|error| error.to_string());
    let light = read.and_then(|bytes| BakeCache::read(&bytes).map_err(str::to_owned));
    Some(light.unwrap_or_else(|reason| {
        let text = format!("cannot use '{}': {reason}; all light is gathered", path.display());
        warnings.push(Diagnostic::warning(text));
        BakeCache::default()
    }))
}

/// Message about reused light.
pub(super) fn remark(baked: &Baked) -> Option<String> {
    let stats = &baked.stats;
    (stats.kept > 0).then(|| {
        let share = 100.0 * stats.kept as f64 / stats.points.max(1) as f64;
        format!("{share:.1} % of the light is reused from the earlier bake: a few test paths of each point found no change")
    })
}
