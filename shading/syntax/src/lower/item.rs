//! Conversion of units, functions, structures, types, parameters and metadata.

use super::super::ast::{
    ArrayLength, Expr, ExprKind, Field, Function, Item, Metadata, Name, Param, Passing, Stmt, Struct,
    TypeKind, TypeName, Unit,
};
use super::{Dialect, Lowerer, Pair, Rule, inner};
use crate::ast::UnitKind;
use crate::source::Span;

impl Lowerer {
    pub(super) fn lower_item(&mut self, pair: Pair<'_>) -> Option<Item> {
        self.context = Dialect::Code;
        match pair.as_rule() {
            Rule::unit => Some(Item::Unit(self.unit(pair))),
            Rule::function => Some(Item::Function(self.function(pair))),
            Rule::structure => Some(Item::Struct(self.structure(pair))),
            Rule::file_variables => {
                let span = self.span(&pair);
                let kind = self.declare(pair);
                Some(Item::Variables(Stmt { kind, span }))
            }
            Rule::group => Some(Item::Group(self.group(pair))),
            Rule::declaration => Some(Item::Declaration(self.declaration(pair))),
            _ => None,
        }
    }

    fn unit(&mut self, pair: Pair<'_>) -> Unit {
        let span = self.span(&pair);
        let mut unit = Unit {
            kind: UnitKind::Shader,
            name: self.missing_name(span),
            metadata: vec![],
            params: vec![],
            body: vec![],
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::unit_kind => unit.kind = UnitKind::from_name(part.as_str()).unwrap_or(UnitKind::Shader),
                Rule::name => unit.name = self.name(&part),
                Rule::metadata => self.metadata(part, &mut unit.metadata),
                Rule::param => unit.params.extend(self.param(part)),
                Rule::block => unit.body = self.block(part),
                _ => {}
            }
        }
        unit
    }

    pub(super) fn function(&mut self, pair: Pair<'_>) -> Function {
        let span = self.span(&pair);
        let mut function = Function {
            ty: self.missing_type(span),
            name: self.missing_name(span),
            params: vec![],
            metadata: vec![],
            body: None,
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::r#type => function.ty = self.type_name(part),
                Rule::name => function.name = self.name(&part),
                Rule::metadata => self.metadata(part, &mut function.metadata),
                Rule::param => function.params.extend(self.param(part)),
                Rule::block => function.body = Some(self.block(part)),
                _ => {}
            }
        }
        // `f(void)` has no parameters.
        if let [param] = &function.params[..]
            && param.ty.kind == TypeKind::Void
            && param.name.text.is_empty()
        {
            function.params.clear();
        }
        function
    }

    fn structure(&mut self, pair: Pair<'_>) -> Struct {
        let span = self.span(&pair);
        let mut structure = Struct { name: self.missing_name(span), fields: vec![], span };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name => structure.name = self.name(&part),
                Rule::fields => self.fields(part, &mut structure.fields),
                _ => {}
            }
        }
        structure
    }

    fn fields(&mut self, pair: Pair<'_>, fields: &mut Vec<Field>) {
        let mut ty = self.missing_type(self.span(&pair));
        for part in inner(pair) {
            match part.as_rule() {
                Rule::r#type => ty = self.type_name(part),
                Rule::field => {
                    let (name, array) = self.declarator(part);
                    fields.push(Field { ty: ty.clone(), name, array });
                }
                Rule::missing => self.missing(&part),
                _ => {}
            }
        }
    }

    fn declarator(&mut self, pair: Pair<'_>) -> (Name, Option<ArrayLength>) {
        let mut name = self.missing_name(self.span(&pair));
        let mut array = None;
        for part in inner(pair) {
            match part.as_rule() {
                Rule::name => name = self.name(&part),
                Rule::array => array = Some(self.array(part)),
                _ => {}
            }
        }
        (name, array)
    }

    pub(super) fn array(&mut self, pair: Pair<'_>) -> ArrayLength {
        match inner(pair).next() {
            Some(length) => ArrayLength::Sized(Box::new(self.expr(length))),
            None => ArrayLength::Unsized,
        }
    }

    /// Lowers a parameter, unless it could not be parsed.
    pub(super) fn param(&mut self, pair: Pair<'_>) -> Option<Param> {
        let span = self.span(&pair);
        let mut param = Param {
            passing: Passing::In,
            ty: self.missing_type(span),
            name: self.missing_name(span),
            array: None,
            default: None,
            metadata: vec![],
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::qualifier => {
                    param.passing = match part.as_str() {
                        "output" | "out" | "inout" => Passing::Output,
                        "const" => Passing::Const,
                        _ => param.passing,
                    }
                }
                Rule::r#type => param.ty = self.type_name(part),
                Rule::name | Rule::soft_name => param.name = self.name(&part),
                Rule::array => param.array = Some(self.array(part)),
                Rule::expr => param.default = Some(self.expr(part)),
                Rule::metadata => self.metadata(part, &mut param.metadata),
                Rule::missing => {
                    self.missing(&part);
                    return None;
                }
                _ => {}
            }
        }
        Some(param)
    }

    pub(super) fn metadata(&mut self, pair: Pair<'_>, list: &mut Vec<Metadata>) {
        for part in inner(pair) {
            if part.as_rule() == Rule::metadatum {
                list.extend(self.metadatum(part));
            }
        }
    }

    fn metadatum(&mut self, pair: Pair<'_>) -> Option<Metadata> {
        let span = self.span(&pair);
        let mut metadatum = Metadata {
            ty: self.missing_type(span),
            name: self.missing_name(span),
            array: None,
            value: Expr::new(ExprKind::Int(0), span),
            span,
        };
        for part in inner(pair) {
            match part.as_rule() {
                Rule::r#type => metadatum.ty = self.type_name(part),
                Rule::word => metadatum.name = self.name(&part),
                Rule::array => metadatum.array = Some(self.array(part)),
                Rule::expr => metadatum.value = self.expr(part),
                Rule::missing => {
                    self.missing(&part);
                    return None;
                }
                _ => {}
            }
        }
        Some(metadatum)
    }

    /// Lowers a `type`, `basic_type` or `closure_type`.
    pub(super) fn type_name(&mut self, pair: Pair<'_>) -> TypeName {
        let span = self.span(&pair);
        let word = match pair.as_rule() {
            Rule::type_of => {
                let mut parts = pair.into_inner();
                let operand = parts.find(|part| part.as_rule() == Rule::expr);
                let kind = match operand {
                    Some(operand) => TypeKind::Of(Box::new(self.expr(operand))),
                    None => TypeKind::Void,
                };
                return TypeName { kind, span };
            }
            Rule::r#type => match pair.into_inner().next() {
                Some(pair) => return self.type_name(pair),
                None => "",
            },
            Rule::closure_type => "closure",
            _ => pair.as_str(),
        };
        let kind = match word {
            "void" => TypeKind::Void,
            "int" => TypeKind::Int,
            "bool" => TypeKind::Bool,
            "float" => TypeKind::Float,
            "double" => TypeKind::Double,
            "color" => TypeKind::Color,
            "point" => TypeKind::Point,
            "vector" => TypeKind::Vector,
            "normal" => TypeKind::Normal,
            "matrix" => TypeKind::Matrix,
            "string" => TypeKind::String,
            "closure" => TypeKind::Closure,
            "texture2d" => TypeKind::Texture2d,
            other => TypeKind::Named(other.to_owned()),
        };
        TypeName { kind, span }
    }

    fn missing_type(&self, span: Span) -> TypeName {
        TypeName { kind: TypeKind::Void, span }
    }
}
