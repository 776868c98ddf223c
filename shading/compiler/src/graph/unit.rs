//! Unit templates: checked units; adaptive ones are lowered again for each use.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::ParamInfo;
use super::param::unit_params;
use crate::check::{self, Environment, ParamUse};
use crate::hir;
use shading_syntax::ast;
use shading_syntax::diagnostic::Diagnostics;
use shading_syntax::source::SourceMap;

/// A unit: parsed, checked and lowered once, shared by all that use it.
#[derive(Clone, Debug)]
pub struct ShaderUnitTemplate {
    /// The checked unit.
    pub hir: hir::Unit,
    /// Its parameters, as they are shown to the outside.
    pub params: Arc<[ParamInfo]>,
    /// [`hir::Unit::weight`].
    pub(super) weight: u64,
    /// The sources that its spans point into.
    pub sources: Arc<SourceMap>,
    /// How it is made for other uses than that of its defaults, where it is adaptive.
    pub adaptive: Option<Adaptive>,
}

impl ShaderUnitTemplate {
    /// A unit of a file, the `index`th.
    pub fn new(
        hir: hir::Unit,
        sources: Arc<SourceMap>,
        file: &Arc<ast::File>,
        index: usize,
    ) -> ShaderUnitTemplate {
        let is_adaptive = |param: &hir::Param| param.is_any || param.is_unsized || param.is_asked;
        let adaptive = hir.params.iter().any(is_adaptive).then(|| Adaptive {
            file: file.clone(),
            index,
            made: Arc::default(),
        });
        ShaderUnitTemplate {
            params: unit_params(&hir),
            weight: hir.weight(),
            hir,
            sources,
            adaptive,
        }
    }
}

/// A unit that is lowered anew for each way in which it is used.
#[derive(Clone, Debug)]
pub struct Adaptive {
    /// The file that it is written in.
    file: Arc<ast::File>,
    /// Which unit of the file.
    index: usize,
    /// What was made, by use.
    made: Arc<Mutex<FxHashMap<Uses, Made>>>,
}

type Uses = Vec<(String, ParamUse)>;
type Made = Result<Arc<hir::Unit>, Diagnostics>;

impl Adaptive {
    /// The unit for a use of its parameters; the same for the same use.
    pub fn unit(&self, uses: Vec<(String, ParamUse)>, environment: &Environment<'_>) -> Made {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made().get(&uses) {
            return known.clone();
        }
        // No lock is held: another thread may make the same, which is not different.
        let unit = check::specialise(&self.file, self.index, &uses, environment).map(Arc::new);
        made().entry(uses).or_insert(unit).clone()
    }
}
