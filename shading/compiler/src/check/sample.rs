//! `sample(input, with { P = … })`: evaluates the connection of a parameter again, with other values of globals.
//!
//! The call becomes one of a function whose code is that of the input. The code is known when the unit is linked.

use super::body::zero_const;
use super::conversion::near;
use super::error::CheckError;
use super::lvalue::Access;
use super::{Checker, TypedValue};
use crate::builtins::Global;
use crate::hir::{Code, Function, InputSample, Local, Op, Operand, Stmt};
use crate::ty::Type;
use shading_syntax::ast::{Argument, Expr};
use shading_syntax::source::Span;

/// Form of the call, for messages.
const FORM: &str = "sample(input, with { P = P + offset; }), of a parameter of the unit that is no structure";

impl<'a> Checker<'a> {
    /// Returns whether a call is the special form `sample` rather than a function of that name.
    pub(super) fn is_sample(name: &str, args: &[Argument], has_own: bool) -> bool {
        name == "sample" && (!has_own || args.iter().any(|arg| arg.name.is_some()))
    }

    pub(super) fn input_sample(&mut self, args: &'a [Argument], span: Span) -> Option<TypedValue> {
        let Some((Argument { value: input, name: None, .. }, overrides)) = args.split_first() else {
            self.report(span, CheckError::BadForm(FORM));
            return None;
        };
        let found = self.sampled_param(input);
        let (globals, values) = self.overridden_globals(overrides)?;
        let (param, ty) = found?;
        let function = self.called.push(placeholder(param, ty, globals));
        let result = self.locals("", ty);
        self.push(Stmt::Call { function, args: values, results: result.clone(), span }, span);
        let leaves = result.into_iter().map(Operand::Local).collect();
        Some(TypedValue { ty, leaves })
    }

    fn sampled_param(&mut self, input: &'a Expr) -> Option<(String, Type)> {
        let place = self.place(input)?;
        self.mark_read(input);
        let is_input = matches!(place.access, Access::Param(_) | Access::Constant(_)) && place.is_whole();
        let [local] = place.leaves[..] else {
            self.report(input.span, CheckError::BadForm(FORM));
            return None;
        };
        let name = match self.adaptive.params.get(&local) {
            Some(name) => name.clone(),
            // In a function that is checked separately, callers provide the parameter.
            None if self.alone.is_some() => String::new(),
            None => {
                self.report(input.span, CheckError::BadForm(FORM));
                return None;
            }
        };
        if !is_input || self.is_apart && self.alone.is_none() {
            self.report(input.span, CheckError::BadForm(FORM));
            return None;
        }
        Some((name, place.ty))
    }

    fn overridden_globals(&mut self, overrides: &'a [Argument]) -> Option<(Vec<Global>, Vec<Operand>)> {
        let (mut globals, mut values, mut failed) = (vec![], vec![], false);
        for Argument { name, value, .. } in overrides {
            let Some(name) = name else {
                self.report(value.span, CheckError::BadForm(FORM));
                return None;
            };
            let Some(global) = Global::from_name(&name.text) else {
                let near = near(&name.text, &Global::ALL.map(Global::name));
                let name = (name.text.clone(), name.span);
                self.report(name.1, CheckError::UnknownGlobal(name.0, near));
                failed = true;
                continue;
            };
            if globals.contains(&global) {
                self.report_twice("global", name);
                failed = true;
            }
            match self.initial(value, global.ty()) {
                Some(value) => {
                    globals.push(global);
                    values.push(value.leaf());
                }
                None => failed = true,
            }
        }
        (!failed).then_some((globals, values))
    }
}

/// Returns the function that represents a sample until the unit is linked.
fn placeholder(param: String, ty: Type, globals: Vec<Global>) -> Function {
    let mut code = Code::default();
    let name = |global: &Global| Local { name: global.name().to_owned(), ty: global.ty() };
    let params = globals.iter().map(|global| code.locals.push(name(global))).collect();
    let result = code.locals.push(Local { name: param.clone(), ty });
    let zero = code.consts.push(zero_const(ty));
    code.body
        .push(Stmt::op(Some(result), Op::Copy, vec![Operand::Const(zero)], Span::default()));
    Function {
        name: param.clone(),
        params,
        outputs: vec![result],
        code,
        fuel: 1,
        sample: Some(InputSample { param, globals }),
    }
}
