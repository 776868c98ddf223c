//! The JIT module: owner of machine code, freed on drop.
//!
//! Cranelift's JIT module leaks its memory when dropped, so that function pointers stay valid. Here the pointers never
//! leave the owner, which frees the memory.

#![expect(
    unsafe_code,
    reason = "machine code is called through a pointer and freed by hand"
)]

use std::fmt;
use std::mem::{ManuallyDrop, transmute};
use std::sync::{Arc, OnceLock};

use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::{JITBuilder, JITModule};

use super::compiler::Entries;
use super::options::OptLevel;
use crate::hir::verify::verifies;
use crate::runtime::ShaderGlobals;
use crate::runtime::context::ContextHeader;

type Entry = unsafe extern "C" fn(*const ShaderGlobals, *mut ContextHeader, *mut u8);

/// Creates a module for code of the host machine.
pub(super) fn new_module(level: OptLevel) -> Result<JITModule, String> {
    let isa = isa(level)?;
    let builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    Ok(JITModule::new(builder))
}

/// Detects the features of the host machine, which the first module would do otherwise.
pub(super) fn prepare() {
    for level in [OptLevel::Fast, OptLevel::Plain] {
        // An unsupported machine is reported when code is generated.
        let _ = isa(level);
    }
}

fn isa(level: OptLevel) -> Result<Arc<dyn TargetIsa>, String> {
    type IsaResult = Result<OwnedTargetIsa, String>;
    /// Target for each level, without and with Cranelift's verifier.
    static ISAS: [[OnceLock<IsaResult>; 2]; 3] = [const { [const { OnceLock::new() }; 2] }; 3];
    let verify = verifies();
    let (index, opt_level, regalloc) = match level {
        OptLevel::Fast => (0, "none", "single_pass"),
        OptLevel::Plain => (1, "none", "backtracking"),
        OptLevel::Full => (2, "speed", "backtracking"),
    };
    let isa = &ISAS[index][usize::from(verify)];
    isa.get_or_init(|| make_isa(opt_level, regalloc, verify)).clone()
}

fn make_isa(opt_level: &str, regalloc: &str, verify: bool) -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    let verify = if verify { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", opt_level),
        ("regalloc_algorithm", regalloc),
        ("enable_verifier", verify),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("unwind_info", "false"),
        ("enable_alias_analysis", "true"),
        // A frame larger than a page must not skip the guard page.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|e| format!("{name}: {e}"))?;
    }
    let isa = cranelift_native::builder()?;
    isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
}

/// Finished code, with its entry functions.
pub(crate) struct Code {
    module: ManuallyDrop<JITModule>,
    entry: Entry,
    packet: Option<Entry>,
}

// SAFETY: a finished module is neither modified nor queried until it is dropped; the code it owns is read-only.
unsafe impl Sync for Code {}

impl Code {
    /// Makes code executable. The entries must be functions with the signature of [`Code::call`].
    pub(super) fn finish(mut module: JITModule, entries: Entries) -> Result<Code, String> {
        if let Err(error) = module.finalize_definitions() {
            free(module);
            return Err(error.to_string());
        }
        let function = |id| {
            let code = module.get_finalized_function(id);
            // SAFETY: the entries were compiled with this signature and the C calling convention.
            unsafe { transmute::<*const u8, Entry>(code) }
        };
        Ok(Code {
            entry: function(entries.point),
            packet: entries.packet.map(function),
            module: ManuallyDrop::new(module),
        })
    }

    #[inline]
    pub(crate) fn has_packets(&self) -> bool {
        self.packet.is_some()
    }

    /// Runs the code.
    ///
    /// # Safety
    /// - `globals` points to a shading point, `ctx` to the header of a context that was prepared for this code by
    ///   `Run::start` and whose host is of the type that the code was compiled for;
    /// - `outputs` points to writable memory of the size of the code's outputs, aligned to 16;
    /// - all data that the code refers to (texts, constants, places) is alive.
    #[inline]
    pub(crate) unsafe fn call(
        &self,
        globals: *const ShaderGlobals,
        ctx: *mut ContextHeader,
        outputs: *mut u8,
    ) {
        // SAFETY: the code is alive as long as `self`; the rest is guaranteed by the caller.
        unsafe { (self.entry)(globals, ctx, outputs) }
    }

    /// Runs the packet code, if there is any.
    ///
    /// # Safety
    /// As for [`Code::call`], where `globals` points to the shading points of a packet, and `outputs` to memory of the
    /// size of the packet's outputs.
    #[inline]
    pub(crate) unsafe fn call_packet(
        &self,
        globals: *const ShaderGlobals,
        ctx: *mut ContextHeader,
        outputs: *mut u8,
    ) {
        if let Some(packet) = self.packet {
            // SAFETY: as for `call`.
            unsafe { packet(globals, ctx, outputs) }
        }
    }
}

/// Frees a module's memory. No pointer into it may be used afterwards; none has left this file.
pub(super) fn free(module: JITModule) {
    // SAFETY: the only pointers to its code are dropped with it, and nothing runs it, since `call` borrows the owner.
    unsafe { module.free_memory() }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the module is taken only once, here.
        free(unsafe { ManuallyDrop::take(&mut self.module) });
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").finish_non_exhaustive()
    }
}
