//! Bounds of a float with its dependence on other values, and the rules of arithmetic.

use std::cell::Cell;
use std::sync::Arc;

use super::polynomial::{Polynomial, Symbol};
use super::range::{self, Range};

/// Source of symbols.
#[derive(Debug, Default)]
pub(super) struct Symbols(Cell<u32>);

impl Symbols {
    /// Returns a symbol that no other value has.
    pub(super) fn fresh(&self) -> Symbol {
        self.0.set(self.0.get().wrapping_add(1));
        Symbol(self.0.get())
    }
}

/// Bounds of a float.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) range: Range,
    /// Numbers with one symbol are equal.
    pub(super) symbol: Symbol,
    form: Option<Arc<Form>>,
}

/// Dependence of a number on others.
#[derive(Debug)]
enum Form {
    /// A polynomial of another number.
    Polynomial(Polynomial),
    /// Product of two numbers, which becomes a polynomial of one of them when that occurs in another operand.
    Product([(Symbol, Range); 2]),
}

impl Number {
    /// A number that depends on no other.
    pub(super) fn new(range: Range, symbols: &Symbols) -> Number {
        Number { range, symbol: symbols.fresh(), form: None }
    }

    /// Returns whether both are known to be equal in every run.
    pub(super) fn is(&self, other: &Number) -> bool {
        self.range == other.range && (self.symbol == other.symbol || self.range.value().is_some())
    }

    /// Bounds of both.
    pub(super) fn join(&self, other: &Number, symbols: &Symbols) -> Number {
        if self.symbol == other.symbol {
            return Number { range: self.range.join(other.range), ..self.clone() };
        }
        if self.is(other) {
            return self.clone();
        }
        Number::new(self.range.join(other.range), symbols)
    }

    fn with_polynomial(range: Range, polynomial: Option<Polynomial>, symbols: &Symbols) -> Number {
        let mut number = Number::new(range, symbols);
        if let Some((polynomial, found)) = polynomial.and_then(|form| Some((form, form.range()?))) {
            let tighter = range.meet(found.or_nan(true));
            if !tighter.is_empty() && !range.is_empty() {
                number.range = tighter;
            }
            number.form = Some(Arc::new(Form::Polynomial(polynomial)));
        }
        number
    }

    /// The number that this one depends on as a polynomial.
    fn root(&self) -> Option<Symbol> {
        match self.form.as_deref() {
            Some(Form::Polynomial(form)) => form.root,
            _ => None,
        }
    }

    /// Returns whether this number is a product with the given factor.
    fn has_factor(&self, symbol: Symbol) -> bool {
        matches!(self.form.as_deref(), Some(Form::Product(factors)) if factors.iter().any(|(s, _)| *s == symbol))
    }

    /// The number as a polynomial of `root`; a number that does not depend on it is a constant.
    fn polynomial(&self, root: Symbol) -> Polynomial {
        if self.symbol == root && self.range.value().is_none() {
            return Polynomial::of_root(root, self.range);
        }
        match self.form.as_deref() {
            Some(Form::Polynomial(form)) if form.root == Some(root) => *form,
            Some(Form::Product([a, b])) if a.0 == root || b.0 == root => {
                let ((symbol, range), (_, other)) = if a.0 == root { (*a, *b) } else { (*b, *a) };
                let linear = Polynomial::of_root(symbol, range);
                let product = linear.mul(&Polynomial::constant(other));
                product.unwrap_or_else(|| Polynomial::constant(self.range))
            }
            _ => Polynomial::constant(self.range),
        }
    }
}

/// Returns the number that the result of an operation is a polynomial of, if that may give tighter bounds.
fn common_root(a: &Number, b: &Number) -> Option<Symbol> {
    if !a.range.is_finite() || !b.range.is_finite() {
        return None;
    }
    match (a.range.value().is_some(), b.range.value().is_some()) {
        (true, true) => return None,
        (true, false) => return b.root().or(Some(b.symbol)),
        (false, true) => return a.root().or(Some(a.symbol)),
        (false, false) => {}
    }
    if a.symbol == b.symbol {
        return a.root().or(Some(a.symbol));
    }
    if let Some(root) = a.root().or(b.root()) {
        return Some(root);
    }
    if b.has_factor(a.symbol) {
        return Some(a.symbol);
    }
    if a.has_factor(b.symbol) {
        return Some(b.symbol);
    }
    match a.form.as_deref() {
        Some(Form::Product(factors)) => factors.iter().map(|(s, _)| *s).find(|&s| b.has_factor(s)),
        _ => None,
    }
}

/// Bounds of the sum.
pub(super) fn add(a: &Number, b: &Number, symbols: &Symbols) -> Number {
    let form = common_root(a, b).map(|root| a.polynomial(root).add(&b.polynomial(root)));
    Number::with_polynomial(range::add(a.range, b.range), form, symbols)
}

/// Bounds of the negated value.
pub(super) fn neg(a: &Number, symbols: &Symbols) -> Number {
    let root = a.range.is_finite().then(|| a.root().unwrap_or(a.symbol));
    let form = root.map(|root| a.polynomial(root).neg());
    Number::with_polynomial(range::neg(a.range), form, symbols)
}

/// Bounds of the difference.
pub(super) fn sub(a: &Number, b: &Number, symbols: &Symbols) -> Number {
    let form = common_root(a, b).map(|root| a.polynomial(root).add(&b.polynomial(root).neg()));
    Number::with_polynomial(range::add(a.range, range::neg(b.range)), form, symbols)
}

/// Bounds of the product.
pub(super) fn mul(a: &Number, b: &Number, symbols: &Symbols) -> Number {
    let range = match a.symbol == b.symbol && a.is(b) {
        true => range::square(a.range),
        false => range::mul(a.range, b.range),
    };
    if let Some(root) = common_root(a, b) {
        return Number::with_polynomial(range, a.polynomial(root).mul(&b.polynomial(root)), symbols);
    }
    let mut product = Number::new(range, symbols);
    if a.range.is_finite() && b.range.is_finite() {
        let factors = [a, b].map(|factor| (factor.symbol, factor.range));
        product.form = Some(Arc::new(Form::Product(factors)));
    }
    product
}

/// Bounds of the quotient, which is 0 for a zero divisor.
pub(super) fn div(a: &Number, b: &Number, symbols: &Symbols) -> Number {
    let range = range::div(a.range, b.range);
    let form = match b.range.value() {
        Some(divisor) if divisor.is_normal() && a.range.is_finite() && a.range.value().is_none() => {
            Some(a.polynomial(a.root().unwrap_or(a.symbol)).divided(divisor))
        }
        _ => None,
    };
    Number::with_polynomial(range, form, symbols)
}
