//! Insertion of derivative statements before the statements that compute values.

use cranelift_entity::{PrimaryMap, SecondaryMap};

use super::change::{Change, Writer, is_differentiable};
use super::demand::{Demand, Owner};
use super::formula::Rule;
use super::rule;
use crate::hir::live::reads_live_input;
use crate::hir::{
    Axis, Block, Code, FunctionId, Kind, Local, LocalId, Op, Operand, Stmt, TextureMapping, TextureOptions,
    Unit,
};
use crate::ty::{Base, Length, Type};
use shading_syntax::source::Span;

/// Derivative variables of a variable, one for each axis.
type Pair = [LocalId; 2];

/// Signature of a function for its callers.
struct Signature {
    /// For each parameter, whether it carries derivatives.
    params: Vec<bool>,
    /// For each result, its type and whether it carries derivatives.
    outputs: Vec<(Type, bool)>,
}

/// Expands the unit and its functions. The derivatives of parameters and outputs of functions are appended to the
/// lists.
pub(super) fn run(unit: &mut Unit, demand: &Demand) {
    let signatures: PrimaryMap<FunctionId, Signature> = unit
        .functions
        .iter()
        .map(|(id, function)| {
            let carries = |local| demand.carries(Owner::Function(id), local);
            Signature {
                params: function.params.iter().map(|&p| carries(p)).collect(),
                outputs: function
                    .outputs
                    .iter()
                    .map(|&o| (function.code.locals[o].ty, carries(o)))
                    .collect(),
            }
        })
        .collect();
    let mut expander = Expander::new(&mut unit.code, demand, Owner::Unit, &signatures);
    for param in &mut unit.params {
        param.init = expander.block(std::mem::take(&mut param.init));
    }
    let body = std::mem::take(&mut expander.code.body);
    expander.code.body = expander.block(body);
    for (id, function) in &mut unit.functions {
        let mut expander = Expander::new(&mut function.code, demand, Owner::Function(id), &signatures);
        let body = std::mem::take(&mut expander.code.body);
        expander.code.body = expander.block(body);
        let pairs = |list: &[LocalId]| -> Vec<LocalId> {
            list.iter().filter_map(|&local| expander.derivatives[local]).flatten().collect()
        };
        let (params, outputs) = (pairs(&function.params), pairs(&function.outputs));
        function.params.extend(params);
        function.outputs.extend(outputs);
    }
}

struct Expander<'a> {
    code: &'a mut Code,
    derivatives: SecondaryMap<LocalId, Option<Pair>>,
    signatures: &'a PrimaryMap<FunctionId, Signature>,
}

impl<'a> Expander<'a> {
    fn new(
        code: &'a mut Code,
        demand: &Demand,
        owner: Owner,
        signatures: &'a PrimaryMap<FunctionId, Signature>,
    ) -> Expander<'a> {
        let mut derivatives = SecondaryMap::new();
        let carrying: Vec<LocalId> =
            code.locals.keys().filter(|&local| demand.carries(owner, local)).collect();
        for local in carrying {
            let Local { name, ty } = code.locals[local].clone();
            derivatives[local] = Some(["dx", "dy"].map(|axis| {
                let name = if name.is_empty() { String::new() } else { format!("{name}.{axis}") };
                code.locals.push(Local { name, ty })
            }));
        }
        Expander { code, derivatives, signatures }
    }

    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.len());
        for stmt in block {
            self.stmt(stmt, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Block) {
        match stmt {
            Stmt::Op { dst, op, args, span } => self.op(dst, op, args, span, out),
            Stmt::Call { function, args, results, span } => self.call(function, args, results, span, out),
            Stmt::If { condition, then, otherwise } => out.push(Stmt::If {
                condition,
                then: self.block(then),
                otherwise: self.block(otherwise),
            }),
            Stmt::Loop { body, fuel, span } => out.push(Stmt::Loop { body: self.block(body), fuel, span }),
            Stmt::Scope { scope, body } => out.push(Stmt::Scope { scope, body: self.block(body) }),
            Stmt::Leave(scope) => out.push(Stmt::Leave(scope)),
        }
    }

    fn op(&mut self, dst: Option<LocalId>, op: Op, mut args: Vec<Operand>, span: Span, out: &mut Block) {
        if let Some(mapping) = rule::implicit_footprint(op) {
            self.put_footprint(rule::coordinates(mapping), &mut args, span, out);
        }
        let (op, args) = match op {
            Op::Derivative(axis) => {
                let change = self.change(args[0], axis);
                let mut writer = self.writer(out, span);
                let kind = writer.kind(args[0]);
                let change = writer.or_zero(change, kind);
                // Derivatives have no derivatives themselves.
                if let Some(pair) = dst.and_then(|dst| self.derivatives[dst]) {
                    out.push(Stmt::op(dst, Op::Copy, vec![change], span));
                    clear(&mut self.writer(out, span), pair);
                    return;
                }
                (Op::Copy, vec![change])
            }
            _ => (op, args),
        };
        match dst.and_then(|dst| Some((dst, self.derivatives[dst]?))) {
            Some(targets) => {
                let changes = Axis::ALL.map(|axis| args.iter().map(|&arg| self.change(arg, axis)).collect());
                differentiate(self.writer(out, span), targets, op, args, &changes);
            }
            None => out.push(Stmt::op(dst, op, args, span)),
        }
    }

    /// Sets the footprint of a lookup to the derivatives of the coordinates.
    fn put_footprint(&mut self, coordinates: usize, args: &mut [Operand], span: Span, out: &mut Block) {
        for i in 1..=coordinates {
            for (at, axis) in Axis::ALL.into_iter().enumerate() {
                if let Some(change) = self.change(args[i], axis) {
                    // Copied to a separate variable, because the value may overwrite the variable that its coordinates
                    // are read from.
                    let mut writer = self.writer(out, span);
                    let kind = writer.kind(change);
                    args[i + (1 + at) * coordinates] = writer.op(Op::Copy, &[change], kind);
                }
            }
        }
    }

    fn call(
        &mut self,
        function: FunctionId,
        mut args: Vec<Operand>,
        mut results: Vec<LocalId>,
        span: Span,
        out: &mut Block,
    ) {
        let signature = &self.signatures[function];
        for (i, _) in signature.params.iter().enumerate().filter(|(_, carries)| **carries) {
            for axis in Axis::ALL {
                let change = self.change(args[i], axis);
                let mut writer = self.writer(out, span);
                let kind = writer.kind(args[i]);
                args.push(writer.or_zero(change, kind));
            }
        }
        let mut still = vec![];
        for (i, &(ty, carries)) in signature.outputs.iter().enumerate() {
            match (self.derivatives[results[i]], carries) {
                (Some(pair), true) => results.extend(pair),
                (None, true) => {
                    let mut writer = self.writer(out, span);
                    results.extend([writer.local(ty), writer.local(ty)]);
                }
                (Some(pair), false) => still.push(pair),
                (None, false) => {}
            }
        }
        out.push(Stmt::Call { function, args, results, span });
        for pair in still {
            clear(&mut self.writer(out, span), pair);
        }
    }

    /// Returns the variable that holds an operand's derivative.
    fn change(&self, operand: Operand, axis: Axis) -> Change {
        match operand {
            Operand::Local(local) => self.derivatives[local].map(|pair| Operand::Local(pair[axis as usize])),
            Operand::Const(_) => None,
        }
    }

    fn writer<'w>(&'w mut self, out: &'w mut Block, span: Span) -> Writer<'w> {
        Writer { code: self.code, out, span }
    }
}

/// Emits an operation and the assignments of its destination's derivatives. The latter come first, because they need the
/// previous values of the operands.
fn differentiate(
    mut writer: Writer<'_>,
    (dst, pair): (LocalId, Pair),
    op: Op,
    args: Vec<Operand>,
    changes: &[Vec<Change>; 2],
) {
    let is_still = changes[0].iter().all(Option::is_none);
    match (rule::of(op), op) {
        (Rule::Source, Op::Global(global)) => {
            for (axis, to) in Axis::ALL.into_iter().zip(pair) {
                writer.assign(to, Op::GlobalDerivative(global, axis), vec![]);
            }
        }
        (Rule::Linear, _) if !is_still || op == Op::ArraySet => {
            for (changes, to) in changes.iter().zip(pair) {
                linear(&mut writer, to, op, &args, changes);
            }
        }
        (Rule::Formula(formula), _) if !is_still => {
            for (changes, to) in changes.iter().zip(pair) {
                let change = formula(&mut writer, &args, changes);
                let kind = writer.kind(Operand::Local(to));
                let change = writer.or_zero(change, kind);
                writer.assign(to, Op::Copy, vec![change]);
            }
        }
        (Rule::Dual(op), _) if !is_still => return dual(writer, (dst, pair), op, args, changes),
        (Rule::Source, Op::AttributeValue)
            if !writer.code.locals[dst].ty.is_array() && !reads_live_input(&*writer.code, &args) =>
        {
            for (axis, to) in Axis::ALL.into_iter().zip(pair) {
                writer.assign(to, Op::AttributeDerivative(axis), args.clone());
            }
        }
        (Rule::Texture, Op::Texture(options)) => return texture(writer, (dst, pair), options, args),
        (Rule::Zero | Rule::Source | Rule::Linear | Rule::Formula(_) | Rule::Dual(_) | Rule::Texture, _) => {
            clear(&mut writer, pair);
        }
    }
    writer.out.push(Stmt::op(Some(dst), op, args, writer.span));
}

/// Applies an operation to the derivatives of its operands.
fn linear(writer: &mut Writer<'_>, to: LocalId, op: Op, args: &[Operand], changes: &[Change]) {
    let mut operands = vec![];
    for (&arg, &change) in args.iter().zip(changes) {
        let kind = writer.kind(arg);
        operands.push(if is_differentiable(kind) {
            writer.or_zero(change, kind)
        } else {
            arg
        });
    }
    writer.assign(to, op, operands);
}

/// Emits an operation that returns the value and its derivatives in an array.
fn dual(
    mut writer: Writer<'_>,
    (dst, [dx, dy]): (LocalId, Pair),
    op: Op,
    mut args: Vec<Operand>,
    changes: &[Vec<Change>; 2],
) {
    let array = writer.code.locals[dst].ty.with_length(Length::Array(3));
    let kinds: Vec<Kind> = args.iter().map(|&arg| writer.kind(arg)).collect();
    for changes in changes {
        for (&change, &kind) in changes.iter().zip(&kinds) {
            args.push(writer.or_zero(change, kind));
        }
    }
    let all = writer.local(array);
    writer.assign(all, op, args);
    for (i, to) in [dst, dx, dy].into_iter().enumerate() {
        let i = writer.int(i as i32);
        writer.assign(to, Op::ArrayGet, vec![Operand::Local(all), i]);
    }
}

/// Emits a lookup that returns the derivatives of its channels along s and t, and computes the screen-space derivatives
/// from the footprint by the chain rule. A lookup in a volume returns screen-space derivatives.
fn texture(
    mut writer: Writer<'_>,
    (dst, pair): (LocalId, Pair),
    options: TextureOptions,
    args: Vec<Operand>,
) {
    let is_volume = options.mapping == TextureMapping::Volume;
    let footprint = (!is_volume).then(|| std::array::from_fn(|i| args[3 + i]));
    let channels = options.results() as usize;
    let options = TextureOptions { derivatives: true, ..options };
    let all = writer.local(Type::array(Base::Float, options.results()));
    writer.assign(all, Op::Texture(options), args);
    let element = |writer: &mut Writer<'_>, i: usize| {
        let i = writer.int(i as i32);
        writer.op(Op::ArrayGet, &[Operand::Local(all), i], Kind::FLOAT)
    };
    let value = (0..channels).map(|i| element(&mut writer, i)).collect();
    writer.assign(dst, Op::MakeArray, value);
    let Some(footprint): Option<[Operand; 4]> = footprint else {
        // A lookup in a volume returns screen-space derivatives.
        for (to, first) in pair.into_iter().zip([channels, 2 * channels]) {
            let changes = (0..channels).map(|i| element(&mut writer, first + i)).collect();
            writer.assign(to, Op::MakeArray, changes);
        }
        return;
    };
    for (to, [ds, dt]) in pair.into_iter().zip([[0, 1], [2, 3]]) {
        let mut changes = vec![];
        for i in 0..channels {
            let (along_s, along_t) =
                (element(&mut writer, channels + i), element(&mut writer, 2 * channels + i));
            let s = writer.mul(along_s, footprint[ds]);
            let t = writer.mul(along_t, footprint[dt]);
            changes.push(writer.add(s, t));
        }
        writer.assign(to, Op::MakeArray, changes);
    }
}

/// Sets derivatives to zero.
fn clear(writer: &mut Writer<'_>, pair: Pair) {
    let kind = writer.kind(Operand::Local(pair[0]));
    let zero = writer.zero(kind);
    for to in pair {
        writer.assign(to, Op::Copy, vec![zero]);
    }
}
