//! Conversion of groups and scene declarations.

use super::super::ast::{
    Declaration, Entry, EntryValue, Expr, ExprKind, Group, GroupAssign, GroupStmt, Instance, Path, PathPart,
};
use super::{Dialect, Lowerer, Pair, Rule, inner};

impl Lowerer {
    pub(super) fn group(&mut self, pair: Pair<'_>) -> Group {
        let span = self.span(&pair);
        let mut group = Group {
            name: self.missing_name(span),
            metadata: vec![],
            params: vec![],
            body: vec![],
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name => group.name = self.name(&part),
                Rule::metadata => self.metadata(part, &mut group.metadata),
                Rule::param => group.params.extend(self.param(part)),
                Rule::missing => self.missing(&part),
                Rule::instance => {
                    self.context = Dialect::Scene;
                    let instance = self.instance(part);
                    group.body.push(GroupStmt::Instance(instance));
                }
                Rule::group_assign => {
                    self.context = Dialect::Scene;
                    let assign = self.group_assign(part);
                    group.body.push(GroupStmt::Assign(assign));
                }
                _ => {}
            }
        }
        group
    }

    fn instance(&mut self, pair: Pair<'_>) -> Instance {
        let span = self.span(&pair);
        let mut names = vec![];
        let mut args = vec![];
        let mut overrides = vec![];
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name => names.push(self.name(&part)),
                Rule::args => args = self.args(part),
                Rule::group_assign => overrides.push(self.group_assign(part)),
                Rule::missing => self.missing(&part),
                _ => {}
            }
        }
        let mut names = names.into_iter();
        Instance {
            unit: names.next().unwrap_or_else(|| self.missing_name(span)),
            name: names.next().unwrap_or_else(|| self.missing_name(span)),
            args,
            overrides,
            span,
        }
    }

    pub(super) fn group_assign(&mut self, pair: Pair<'_>) -> GroupAssign {
        let span = self.span(&pair);
        let mut target = Path::default();
        let mut value = Expr::new(ExprKind::Int(0), span);
        for part in inner(pair) {
            match part.as_rule() {
                Rule::path => target = self.path(part),
                Rule::expr => value = self.expr(part),
                _ => {}
            }
        }
        GroupAssign { target, value, span }
    }

    fn path(&mut self, pair: Pair<'_>) -> Path {
        let span = self.span(&pair);
        let parts = inner(pair).map(|part| self.path_part(part)).collect();
        Path { parts, span }
    }

    pub(super) fn path_part(&mut self, pair: Pair<'_>) -> PathPart {
        let span = self.span(&pair);
        let quoted = pair.as_rule() == Rule::string;
        let text = if quoted { self.string(pair) } else { pair.as_str().to_owned() };
        PathPart { text, quoted, span }
    }

    pub(super) fn declaration(&mut self, pair: Pair<'_>) -> Declaration {
        self.context = Dialect::Scene;
        let span = self.span(&pair);
        let mut declaration = Declaration {
            keyword: self.missing_name(span),
            target: None,
            kind: None,
            value: None,
            body: None,
            alias: None,
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::keyword => declaration.keyword = self.name(&part),
                Rule::path => declaration.target = Some(self.path(part)),
                Rule::kind => declaration.kind = self.inner_name(part),
                Rule::expr => declaration.value = Some(self.expr(part)),
                Rule::scene_block => declaration.body = Some(self.entries(part)),
                Rule::alias => declaration.alias = self.inner_name(part),
                _ => {}
            }
        }
        declaration
    }

    fn entries(&mut self, pair: Pair<'_>) -> Vec<Entry> {
        inner(pair)
            .filter(|p| p.as_rule() == Rule::entry)
            .filter_map(|p| self.entry(p))
            .collect()
    }

    /// Lowers an entry, unless it could not be parsed.
    fn entry(&mut self, pair: Pair<'_>) -> Option<Entry> {
        let span = self.span(&pair);
        let mut key = Path::default();
        let mut kind = None;
        let mut value = EntryValue::Block { kind: None, entries: vec![] };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::path => key = self.path(part),
                Rule::kind => kind = self.inner_name(part),
                Rule::expr => value = EntryValue::Expr(self.expr(part)),
                Rule::scene_block => {
                    let entries = self.entries(part);
                    value = EntryValue::Block { kind: kind.take(), entries };
                }
                Rule::missing => {
                    self.missing(&part);
                    return None;
                }
                _ => {}
            }
        }
        Some(Entry { key, value, span })
    }
}
