//! Templates from source: `group NAME(…) { … }` declarations and materials of scene files.

use std::sync::Arc;

use super::alias::{DeclaredParam, unusable_aliases};
use super::literal::literal_for;
use super::order::{Dependencies, Step};
use super::{
    Accessor, Binding, Connection, GroupInput, GroupOutput, GroupUse, Node, Path, ShaderGroupTemplate,
    TemplateRef, Value,
};
use crate::builtins::{self, Global};
use crate::check;
use crate::ty::Type;
use shading_syntax::ast::{self, ExprKind, GroupStmt, Passing, TypeKind};
use shading_syntax::diagnostic::{Diagnostic, Diagnostics};
use shading_syntax::source::{SourceMap, Span};

/// Builds the template of a group declaration, with the errors that can be found without the units: duplicate names,
/// arguments without a name, unknown globals. Unit names and connection types are checked when it is linked.
pub fn group(group: &ast::Group, file: &Arc<ast::File>) -> (ShaderGroupTemplate, Diagnostics) {
    let sources = &file.sources;
    let mut builder = Builder::new(&group.name.text, group.name.span, file);
    builder.group.metadata = check::metadata(&group.metadata, sources);
    for stmt in &group.body {
        if let GroupStmt::Instance(instance) = stmt {
            builder.instance(instance);
        }
    }
    for param in &group.params {
        builder.param(param, &group.body);
    }
    for stmt in &group.body {
        if let GroupStmt::Assign(assign) = stmt {
            let name = assign.target.joined();
            let declared = |param: &ast::Param| param.passing == Passing::Output && param.name.text == name;
            if !group.params.iter().any(declared) && !file.unparsed.contains(&name) {
                let known: Vec<&str> = builder.group.outputs.iter().map(|o| o.name.as_str()).collect();
                let error =
                    Diagnostic::error(format!("`{name}` is not an output of group `{}`", group.name.text))
                        .at(sources, assign.target.span, "")
                        .nearest(&name, known);
                builder.diagnostics.push(error);
            }
        }
    }
    let inputs = builder.group.inputs.iter().map(|input| DeclaredParam {
        name: &input.name,
        metadata: &input.metadata,
        span: input.span,
    });
    let params = inputs.chain(builder.group.outputs.iter().map(|output| DeclaredParam {
        name: &output.name,
        metadata: &[],
        span: output.span,
    }));
    let errors = unusable_aliases(&params.collect::<Vec<_>>(), sources);
    builder.diagnostics.list.extend(errors);
    if !builder.diagnostics.has_errors() {
        builder.warn_unused(&group.body);
    }
    (builder.group, builder.diagnostics)
}

/// Builds the group of a material or an environment: a call `unit(argument = value, …)`, whose arguments may contain
/// further calls. It has one output, `surface`: the unit's closure; or that output of the unit, by its name, if one is given.
/// The expression's spans refer to `file`.
///
/// # Errors
/// The errors that [`group()`] finds; and if the expression is not a call.
pub fn material(
    name: &str,
    usage: GroupUse,
    span: Span,
    expr: &ast::Expr,
    output: Option<&str>,
    file: &Arc<ast::File>,
) -> Result<ShaderGroupTemplate, Diagnostics> {
    let mut builder = Builder::of_call(name, usage, span, expr, file)?;
    builder.call_output(name, output, expr.span);
    builder.diagnostics.into_result(builder.group)
}

/// Builds the group of a camera: a call as that of a material, with these outputs of its unit.
///
/// # Errors
/// As [`material()`].
pub fn camera(
    name: &str,
    span: Span,
    expr: &ast::Expr,
    outputs: &[&str],
    file: &Arc<ast::File>,
) -> Result<ShaderGroupTemplate, Diagnostics> {
    let mut builder = Builder::of_call(name, GroupUse::Camera, span, expr, file)?;
    for output in outputs {
        builder.call_output(name, Some(output), expr.span);
    }
    builder.diagnostics.into_result(builder.group)
}

/// Builds the group of a surface with bumps: the unit of a material has the normal of the surface through the points to which
/// `displacement` moves the surface.
///
/// # Errors
/// As [`material()`].
pub fn bumped(
    name: &str,
    span: Span,
    [surface, displacement]: [&ast::Expr; 2],
    file: &Arc<ast::File>,
) -> Result<ShaderGroupTemplate, Diagnostics> {
    const DISPLACEMENT: &str = "displacement";
    const UNDISPLACED: &str = "undisplaced";
    let of = |node: &str, output: &str| ast::Expr::name(node).member(output);
    let arguments = [
        ("at", of(DISPLACEMENT, "P")),
        ("base", of(UNDISPLACED, "position")),
        ("direction", of(UNDISPLACED, "direction")),
    ];
    let arguments = arguments.map(|(name, value)| ast::Argument::named(name, value)).to_vec();
    let mut normal = ast::Expr::call("displaced_normal", arguments).member("result");
    normal.set_span(displacement.span);
    let mut builder =
        Builder::of_call_with(name, GroupUse::Surface, span, surface, &[overridden("N", normal)], file)?;
    let base = ast::Name::new("undisplaced");
    builder.node(UNDISPLACED.to_owned(), &base, &[], &[], displacement.span);
    let (unit, args) = called(displacement, file)?;
    let place = [
        overridden("P", of(UNDISPLACED, "position")),
        overridden("N", of(UNDISPLACED, "direction")),
    ];
    builder.node(DISPLACEMENT.to_owned(), &unit, args, &place, displacement.span);
    builder.call_output(name, None, surface.span);
    builder.diagnostics.into_result(builder.group)
}

/// The value of a global for a node.
fn overridden(global: &str, value: ast::Expr) -> ast::GroupAssign {
    ast::GroupAssign {
        target: ast::Path::word(global),
        value,
        span: Span::default(),
    }
}

/// The unit that an expression calls, and its arguments.
fn called<'e>(
    expr: &'e ast::Expr,
    file: &ast::File,
) -> Result<(ast::Name, &'e [ast::Argument]), Diagnostics> {
    match &expr.kind {
        ExprKind::Call { name, args, .. } => Ok((name.clone(), args)),
        ExprKind::Name(unit) => Ok((ast::Name { text: unit.clone(), span: expr.span }, &[])),
        _ => {
            let error = Diagnostic::error("a material is a unit or a group with its arguments")
                .at(&file.sources, expr.span, "")
                .hint("write for example `matte(albedo = (0.8, 0.7, 0.6))`");
            Err(error.into())
        }
    }
}

/// Builds the group of a displacement: a call as that of a material, whose unit has the displaced point as its output `P`.
///
/// # Errors
/// As [`material()`].
pub fn displacement(
    name: &str,
    span: Span,
    expr: &ast::Expr,
    file: &Arc<ast::File>,
) -> Result<ShaderGroupTemplate, Diagnostics> {
    let mut builder = Builder::of_call(name, GroupUse::Displacement, span, expr, file)?;
    builder.call_output(name, Some("P"), expr.span);
    builder.diagnostics.into_result(builder.group)
}

/// Placeholder for the unit of an instance that is declared twice, with different units.
pub const UNCERTAIN: &str = "";

struct Builder<'a> {
    group: ShaderGroupTemplate,
    file: &'a ast::File,
    sources: &'a SourceMap,
    diagnostics: Diagnostics,
}

impl<'a> Builder<'a> {
    fn new(name: &str, span: Span, file: &'a Arc<ast::File>) -> Builder<'a> {
        let mut group = ShaderGroupTemplate::new(name);
        group.file = Some(file.clone());
        group.span = span;
        Builder {
            group,
            file,
            sources: &file.sources,
            diagnostics: Diagnostics::default(),
        }
    }

    /// A builder with one node, `name`: the unit that an expression calls.
    fn of_call(
        name: &str,
        usage: GroupUse,
        span: Span,
        expr: &ast::Expr,
        file: &'a Arc<ast::File>,
    ) -> Result<Builder<'a>, Diagnostics> {
        Builder::of_call_with(name, usage, span, expr, &[], file)
    }

    /// As [`Builder::of_call`], with values of globals for the node.
    fn of_call_with(
        name: &str,
        usage: GroupUse,
        span: Span,
        expr: &ast::Expr,
        overrides: &[ast::GroupAssign],
        file: &'a Arc<ast::File>,
    ) -> Result<Builder<'a>, Diagnostics> {
        let (unit, args) = called(expr, file)?;
        let mut builder = Builder::new(name, span, file);
        builder.group.usage = Some(usage);
        builder.node(name.to_owned(), &unit, args, overrides, expr.span);
        Ok(builder)
    }

    /// Adds an output of the group: that output of the node `node`, or its closure as `surface`.
    fn call_output(&mut self, node: &str, output: Option<&str>, span: Span) {
        let binding = Binding::Path(Path::new(
            node.to_owned(),
            output.into_iter().map(|output| Accessor::Field(output.to_owned())).collect(),
        ));
        let (name, ty) = match output {
            Some(output) => (output.to_owned(), None),
            None => ("surface".to_owned(), Some(Type::CLOSURE)),
        };
        self.group.outputs.push(GroupOutput {
            is_unrequested: false,
            name,
            ty,
            binding,
            value_span: span,
            metadata: vec![],
            span,
        });
    }

    fn error(&mut self, message: String, span: Span) {
        self.diagnostics.push(Diagnostic::error(message).at(self.sources, span, ""));
    }

    fn param(&mut self, param: &ast::Param, body: &[GroupStmt]) {
        let name = param.name.text.clone();
        let taken = self.group.inputs.iter().any(|i| i.name == name)
            || self.group.outputs.iter().any(|o| o.name == name);
        if taken || self.group.node(&name).is_some() {
            self.error(format!("`{name}` is declared twice"), param.name.span);
            return;
        }
        if self.is_structure(&param.ty) {
            let error = Diagnostic::error("a parameter of a group cannot be a structure")
                .at(self.sources, param.ty.span, "")
                .hint(
                    "declare a parameter for each field, and give them as parts: `unit a(s.x = x, s.y = y);`",
                );
            return self.untyped_param(param, error);
        }
        let ty = match check::param_type(param, self.sources) {
            Ok(ty) => ty,
            Err(error) => return self.untyped_param(param, error),
        };
        let metadata = check::metadata(&param.metadata, self.sources);
        let span = param.name.span;
        if param.passing != Passing::Output {
            let default = param.default.as_ref().map(|expr| match literal_for(expr, ty) {
                Some((value, ty)) => Binding::Value(Value::Const(value, ty)),
                None => self.binding(expr),
            });
            self.group.inputs.push(GroupInput {
                name,
                ty: Some(ty),
                default,
                default_span: param.default.as_ref().map_or(span, |expr| expr.span),
                metadata,
                span,
            });
            return;
        }
        let assigned = body.iter().rev().find_map(|stmt| match stmt {
            GroupStmt::Assign(assign) if assign.target.joined() == name => Some(&assign.value),
            GroupStmt::Assign(_) | GroupStmt::Instance(_) => None,
        });
        match assigned.or(param.default.as_ref()) {
            Some(expr) => {
                let binding = self.binding(expr);
                self.group.outputs.push(GroupOutput {
                    is_unrequested: false,
                    name,
                    ty: Some(ty),
                    binding,
                    value_span: expr.span,
                    metadata,
                    span,
                });
            }
            None if self.file.unparsed.contains(&name) => {}
            None => self.error(format!("output `{name}` is never assigned"), span),
        }
    }

    /// Warns of instances that never run, because no output of the group depends on them.
    fn warn_unused(&mut self, body: &[GroupStmt]) {
        let group = &self.group;
        let outputs = group.outputs.iter().map(|output| &output.binding);
        let defaults = group.inputs.iter().filter_map(|input| input.default.as_ref());
        let roots: Vec<&Binding> = outputs.chain(defaults).collect();
        let order = Dependencies::of(group).and_then(|dependencies| dependencies.order(&roots, |_| false));
        let Some(order) = order.ok().filter(|_| !group.outputs.is_empty()) else {
            return;
        };
        let mut is_read = vec![false; group.nodes().len()];
        for step in order {
            if let Step::Node(node) = step {
                is_read[node] = true;
            }
        }
        for stmt in body {
            if let GroupStmt::Instance(instance) = stmt
                && let Some(index) = group.position(&instance.name.text)
                && !is_read[index]
            {
                let name = &instance.name;
                let warning = Diagnostic::warning(format!("no output depends on instance `{}`", name.text))
                    .at(self.sources, name.span, "");
                self.diagnostics.push(warning);
            }
        }
    }

    fn is_structure(&self, ty: &ast::TypeName) -> bool {
        let is_named = |item: &ast::Item| match (item, &ty.kind) {
            (ast::Item::Struct(structure), TypeKind::Named(name)) => structure.name.text == *name,
            _ => false,
        };
        self.file.items.iter().any(is_named)
    }

    /// Reports a parameter without a type. The input is added without a type, so that its uses are not reported.
    fn untyped_param(&mut self, param: &ast::Param, error: Diagnostic) {
        self.diagnostics.push(error);
        if param.passing != Passing::Output {
            let span = param.name.span;
            self.group.inputs.push(GroupInput {
                name: param.name.text.clone(),
                ty: None,
                default: None,
                default_span: span,
                metadata: vec![],
                span,
            });
        }
    }

    fn instance(&mut self, instance: &ast::Instance) {
        let name = instance.name.text.clone();
        if let Some(first) = self.group.position(&name) {
            self.error(format!("there already is an instance `{name}`"), instance.name.span);
            // The intended declaration is unknown.
            let node = &mut self.group.nodes[first];
            if !matches!(&node.template, TemplateRef::Named(unit) if *unit == instance.unit.text) {
                node.template = TemplateRef::Named(UNCERTAIN.to_owned());
            }
            return;
        }
        self.node(name, &instance.unit, &instance.args, &instance.overrides, instance.span);
    }

    fn node(
        &mut self,
        name: String,
        unit: &ast::Name,
        args: &[ast::Argument],
        overrides: &[ast::GroupAssign],
        span: Span,
    ) {
        // The index is reserved first, because calls among the arguments add nodes of their own.
        let index = self.group.push(Node {
            name,
            template: TemplateRef::Named(unit.text.clone()),
            inputs: vec![],
            overrides: vec![],
            span,
        });
        let mut inputs: Vec<Connection> = vec![];
        let mut globals = vec![];
        for arg in args.iter().filter(|arg| arg.value.kind != ExprKind::Missing) {
            let Some((target, value, span)) = argument(arg) else {
                let unit = &unit.text;
                self.error(
                    format!("arguments of `{unit}` are given by name: write `name = value`"),
                    arg.value.span,
                );
                continue;
            };
            if inputs.iter().any(|c| c.target == target) {
                self.error(format!("`{target}` is given twice"), span);
            }
            let binding = self.binding(value);
            inputs.push(Connection {
                target,
                binding,
                interpolated: None,
                overrides: arg.overrides,
                span: span.to(value.span),
            });
        }
        for assign in overrides {
            match Global::from_name(&assign.target.joined()) {
                Some(global) if globals.iter().any(|(known, _, _)| *known == global) => {
                    self.error(format!("`{}` is given twice", global.name()), assign.target.span);
                }
                Some(global) => globals.push((global, self.binding(&assign.value), assign.span)),
                None => {
                    let name = assign.target.joined();
                    let error = Diagnostic::error(format!("`{name}` is not a global variable"))
                        .at(self.sources, assign.target.span, "")
                        .nearest(&name, Global::ALL.map(Global::name));
                    self.diagnostics.push(error);
                }
            }
        }
        self.group.feed(index, inputs, globals);
    }

    /// Converts an expression to a binding. A path remains a path, so that structures, arrays and closures are passed
    /// whole; in other expressions, each call of a unit becomes a node.
    fn binding(&mut self, expr: &ast::Expr) -> Binding {
        let mut expr = expr.clone();
        self.lift_calls(&mut expr);
        match path(&expr) {
            Some(path) if Global::from_name(&path.head).is_none() => Binding::Path(path),
            _ => Binding::Expression(Arc::new(expr)),
        }
    }

    /// Replaces calls of units in an expression by the names of new nodes.
    fn lift_calls(&mut self, expr: &mut ast::Expr) {
        match &expr.kind {
            ExprKind::Call { name, template: None, args } if is_unit_call(&name.text, args, self.file) => {
                let node = format!("{}_{}", name.text, self.group.nodes().len());
                self.node(node.clone(), name, args, &[], expr.span);
                expr.kind = ExprKind::Name(node);
            }
            _ => expr.for_each_operand_mut(&mut |operand| self.lift_calls(operand)),
        }
    }
}

/// Returns whether a call is a call of a unit. Units have named arguments, functions positional ones. A call without
/// arguments is one of a unit unless a function has the name.
fn is_unit_call(name: &str, args: &[ast::Argument], file: &ast::File) -> bool {
    if args.is_empty() {
        let is_built_in = builtins::overloads(name).next().is_some() || check::is_prelude_function(name);
        return !is_built_in && !file.declares_function(name);
    }
    args.iter().any(|arg| argument(arg).is_some())
}

/// Returns target, value and location of an argument: `name = value`, or a part of an input, as in `a[1] = value`, `c.r =
/// value` and `s.field = value`.
fn argument(arg: &ast::Argument) -> Option<(Path, &ast::Expr, Span)> {
    match (&arg.name, &arg.value.kind) {
        (Some(name), _) => {
            let target = Path::new(name.text.clone(), vec![]);
            Some((target, &arg.value, name.span))
        }
        (None, ExprKind::Assign { op: None, target, value }) => Some((path(target)?, value, target.span)),
        (None, _) => None,
    }
}

pub(super) fn path(expr: &ast::Expr) -> Option<Path> {
    match &expr.kind {
        ExprKind::Name(name) => Some(Path::new(name.clone(), vec![])),
        ExprKind::Member { object, name } => {
            let mut path = path(object)?;
            path.rest.push(Accessor::Field(name.text.clone()));
            Some(path)
        }
        ExprKind::Index { object, index } => {
            let ExprKind::Int(i) = index.kind else { return None };
            let mut path = path(object)?;
            path.rest.push(Accessor::Index(u32::try_from(i).ok()?));
            Some(path)
        }
        _ => None,
    }
}
