//! Targets of a node's connections: resolved aliases, overridden inputs, and inputs that are set twice.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::Linker;
use super::scope::GroupScope;
use crate::graph::input::named_input;
use crate::graph::interface::part;
use crate::graph::path::longest_name;
use crate::graph::{Accessor, Connection, GraphError, Node, ParamInfo, Path, Template};
use crate::ty::component_index;

impl Linker<'_> {
    /// Returns the connections of a node with targets in the template's names. `inputs` are those of the template, if they
    /// are known.
    pub(super) fn connections<'n>(
        &mut self,
        scope: &GroupScope<'_>,
        node: &'n Node,
        template: &Template,
        inputs: Option<&[&ParamInfo]>,
    ) -> Cow<'n, [Connection]> {
        let inputs = inputs.unwrap_or_default();
        let is_whole = |connection: &Connection| {
            let Path { head, rest } = &connection.target;
            rest.is_empty() && inputs.iter().any(|input| input.name == *head)
        };
        if node.inputs.iter().all(is_whole) {
            return Cow::Borrowed(&node.inputs);
        }
        let mut list: Vec<Connection> = vec![];
        let mut written: Vec<&Path> = vec![];
        for connection in &node.inputs {
            match named_input(template, &connection.target) {
                Ok(target) => {
                    written.push(&connection.target);
                    list.push(Connection { target: target.into_owned(), ..connection.clone() });
                }
                Err(error) => self.report(error, &scope.node_place(node, connection.span)),
            }
        }
        let paths: Vec<String> = list.iter().map(|c| plain_path(&c.target, inputs)).collect();
        self.report_repeated(scope, node, &list, &written, &paths);
        let stays: Vec<bool> = (0..list.len()).map(|i| !is_overridden(&list, &paths, i)).collect();
        let kept = list.into_iter().zip(stays).filter(|(_, stays)| *stays);
        Cow::Owned(kept.map(|(connection, _)| connection).collect())
    }

    /// Reports inputs that are set under two names. The group itself reports equal spellings.
    fn report_repeated(
        &mut self,
        scope: &GroupScope<'_>,
        node: &Node,
        list: &[Connection],
        written: &[&Path],
        paths: &[String],
    ) {
        let mut seen: Vec<(&String, &Path)> = vec![];
        for (index, (connection, written)) in list.iter().zip(written).enumerate() {
            if is_overridden(list, paths, index) {
                continue;
            }
            let input = &paths[index];
            match seen.iter().find(|(known, _)| *known == input) {
                Some((_, first)) if first != written => {
                    let (first, second) = (first.to_string(), written.to_string());
                    let input = input.clone();
                    let place = scope.node_place(node, connection.span);
                    self.report(GraphError::SetTwice { input, first, second }, &place);
                }
                Some(_) => {}
                None => seen.push((input, written)),
            }
        }
    }
}

/// Returns whether a later connection that overrides its input replaces a connection. `paths` are the inputs of the
/// connections in the form of [`plain_path`].
fn is_overridden(list: &[Connection], paths: &[String], index: usize) -> bool {
    let is_within = |path: &str| {
        let rest = paths[index].strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let first = if list[index].overrides { index + 1 } else { 0 };
    (first..list.len()).any(|other| other != index && list[other].overrides && is_within(&paths[other]))
}

/// Normalises the names of components in a path: `c[0]` for `c.r` and `c.x`.
fn plain_path(target: &Path, inputs: &[&ParamInfo]) -> String {
    let (name, rest) = longest_name(target, |name| inputs.iter().any(|input| input.name == name));
    let Some(input) = inputs.iter().find(|input| input.name == name) else {
        return target.to_string();
    };
    let (mut text, mut ty) = (name.into_owned(), input.ty);
    for accessor in rest {
        let index = match accessor {
            Accessor::Index(index) => Some(*index),
            Accessor::Field(name) => component_index(name),
        };
        let (Some(index), Some(inner)) = (index, part(ty, accessor)) else {
            return target.to_string();
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "[{index}]");
        ty = inner;
    }
    text
}
