//! Unit templates: checked units. Adaptive units are lowered again for each distinct use.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::ParamInfo;
use super::alias::{DeclaredParam, unusable_aliases};
use super::param::unit_params;
use crate::check::{self, Environment, ParamUse};
use crate::hir;
use shading_syntax::ast;
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::source::SourceMap;

/// A unit that is parsed, checked and lowered once, and shared by all its instances.
#[derive(Clone, Debug)]
pub struct ShaderUnitTemplate {
    /// The checked unit.
    pub hir: hir::Unit,
    /// Public parameters.
    pub params: Arc<[ParamInfo]>,
    /// [`hir::Unit::weight`].
    pub(super) weight: u64,
    /// Sources of its spans.
    pub sources: Arc<SourceMap>,
    /// Source of an adaptive unit, which is lowered again for other uses than that of its defaults.
    pub adaptive: Option<Adaptive>,
}

impl ShaderUnitTemplate {
    /// Creates the template of the unit at `index` of a file.
    pub fn new(
        hir: hir::Unit,
        sources: Arc<SourceMap>,
        file: &Arc<ast::File>,
        index: usize,
    ) -> ShaderUnitTemplate {
        let is_adaptive = |param: &hir::Param| {
            param.is_any || param.is_unsized || param.queries_connection || param.queries_given
        };
        let adaptive = hir.params.iter().any(is_adaptive).then(|| Adaptive {
            file: file.clone(),
            index,
            cache: Arc::default(),
        });
        ShaderUnitTemplate {
            params: unit_params(&hir, &sources),
            weight: hir.weight(),
            hir,
            sources,
            adaptive,
        }
    }

    /// Returns errors for aliases that are unusable because another parameter has that name.
    pub fn alias_errors(&self) -> Vec<Diagnostic> {
        let params = self.hir.params.iter().map(|param| DeclaredParam {
            name: &param.name,
            metadata: if param.output { &[] } else { &param.metadata },
            span: param.span,
        });
        unusable_aliases(&params.collect::<Vec<_>>(), &self.sources)
    }
}

/// Source of an adaptive unit, which is lowered for each distinct use.
#[derive(Clone, Debug)]
pub struct Adaptive {
    /// File of the unit.
    file: Arc<ast::File>,
    /// Index of the unit in the file.
    index: usize,
    /// Cache of lowered units, by use.
    cache: Arc<Mutex<FxHashMap<ParamUses, LoweredUnit>>>,
}

/// Use of each parameter, by name.
type ParamUses = Vec<(String, ParamUse)>;

type LoweredUnit = Result<Arc<hir::Unit>, Diagnostics>;

impl Adaptive {
    /// Returns the unit for a use of its parameters; cached.
    pub fn unit(&self, uses: ParamUses, environment: &Environment<'_>) -> LoweredUnit {
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache().get(&uses) {
            return known.clone();
        }
        // No lock is held, so another thread may compute an equal result at the same time.
        let unit = check::specialise(&self.file, self.index, &uses, environment).map(Arc::new);
        cache().entry(uses).or_insert(unit).clone()
    }
}
