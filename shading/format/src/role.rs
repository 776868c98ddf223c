//! Roles of pieces: kinds of brackets, prefix and infix operators, keywords. A role depends only on brackets and on the
//! pieces before, so that texts with macros have roles too.

use crate::branch::Branches;
use crate::piece::{Piece, PieceKind};
use shading_syntax::ast::UnitKind;
use shading_syntax::token::TYPES;

/// Contents of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// Items of a file.
    File,
    /// Statements.
    Code,
    /// The fields of a structure.
    Struct,
    /// The instances of a group.
    Group,
    /// Keys and values of a scene declaration or of `with`.
    Scene,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Word,
    /// A keyword: no operand, and white space precedes its parenthesis.
    Keyword,
    Literal,
    Comment,
    Directive,
    ParenOpen,
    ParenClose,
    /// Closing parenthesis of a cast such as `(float)`.
    CastClose,
    IndexOpen,
    IndexClose,
    ListOpen,
    ListClose,
    MetaOpen,
    MetaClose,
    BlockOpen(BlockKind),
    BlockClose,
    TemplateOpen,
    TemplateClose,
    Comma,
    Semi,
    Dot,
    Prefix,
    Postfix,
    /// Operator between two operands.
    Infix,
    Assign,
    /// Colon before the kind of a declaration.
    Colon,
    /// A token that is no part of a valid text; its white space is kept.
    Other,
}

/// Keywords: no operands, white space before a parenthesis.
const KEYWORDS: [&str; 10] = ["if", "for", "while", "return", "else", "do", "and", "or", "not", "with"];

/// Functions whose first argument is a name in angle brackets.
const TEMPLATES: [&str; 4] = ["make_closure", "global_value", "texture2d_sample", "texture2d_sample_alpha"];

const ASSIGNS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

const INFIX: [&str; 19] = [
    "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>", "?",
];

/// Roles and matched brackets of a text.
pub(crate) struct Roles {
    pub(crate) list: Vec<Role>,
    /// For each bracket, the index of its partner.
    pub(crate) partner: Vec<Option<usize>>,
    /// Brackets without a partner.
    pub(crate) unmatched: Vec<usize>,
}

/// An open bracket.
#[derive(Clone)]
struct Level {
    open: usize,
    role: Role,
    /// For a block, the current statement.
    statement: Head,
    /// Number of `?` without their colon.
    ternaries: usize,
}

/// Tokens seen so far in a statement.
#[derive(Clone, Default)]
struct Head {
    first: Option<usize>,
    has_assign: bool,
    has_colon: bool,
    has_paren: bool,
}

pub(crate) fn roles(pieces: &[Piece<'_>]) -> Roles {
    let mut finder = Finder {
        pieces,
        roles: Roles {
            list: Vec::with_capacity(pieces.len()),
            partner: vec![None; pieces.len()],
            unmatched: vec![],
        },
        before: None,
        levels: vec![Level {
            open: usize::MAX,
            role: Role::BlockOpen(BlockKind::File),
            statement: Head::default(),
            ternaries: 0,
        }],
    };
    let mut branches = Branches::default();
    for (at, piece) in pieces.iter().enumerate() {
        branches.directive(piece, &mut finder.levels);
        let role = finder.role(at);
        finder.roles.list.push(role);
        if piece.is_code() {
            finder.update_statement(at, role);
            finder.before = Some(at);
        }
    }
    let open = finder.levels.iter().skip(1).map(|level| level.open);
    finder.roles.unmatched.extend(open);
    finder.roles
}

struct Finder<'a> {
    pieces: &'a [Piece<'a>],
    roles: Roles,
    /// Index of the previous piece of code.
    before: Option<usize>,
    levels: Vec<Level>,
}

impl Finder<'_> {
    fn role(&mut self, at: usize) -> Role {
        let piece = &self.pieces[at];
        match piece.kind {
            PieceKind::LineComment | PieceKind::BlockComment => Role::Comment,
            PieceKind::Directive => Role::Directive,
            PieceKind::Word if KEYWORDS.contains(&piece.text) => Role::Keyword,
            PieceKind::Word => Role::Word,
            PieceKind::Number | PieceKind::Text => Role::Literal,
            PieceKind::Sign => self.sign(at, piece.text),
        }
    }

    fn sign(&mut self, at: usize, text: &str) -> Role {
        let after_operand = self.after_operand();
        match text {
            "(" => self.open(at, Role::ParenOpen),
            "[" if after_operand => self.open(at, Role::IndexOpen),
            "[" => self.open(at, Role::ListOpen),
            "[[" | "<<<" => self.open(at, Role::MetaOpen),
            "{" => {
                let role = self.brace(at);
                self.open(at, role)
            }
            ")" if self.closes_cast() => self.close(at, Role::CastClose, Role::ParenOpen),
            ")" => self.close(at, Role::ParenClose, Role::ParenOpen),
            "]" if self.top().role == Role::ListOpen => self.close(at, Role::ListClose, Role::ListOpen),
            "]" => self.close(at, Role::IndexClose, Role::IndexOpen),
            "]]" | ">>>" => self.close(at, Role::MetaClose, Role::MetaOpen),
            "}" if self.top().role == Role::ListOpen => self.close(at, Role::ListClose, Role::ListOpen),
            "}" => self.close_block(at),
            "," => Role::Comma,
            ";" => Role::Semi,
            "." => Role::Dot,
            "<" if self.text_before(0).is_some_and(|word| TEMPLATES.contains(&word)) => Role::TemplateOpen,
            ">" if self.closes_template() => Role::TemplateClose,
            ":" => self.colon(),
            "++" | "--" if after_operand => Role::Postfix,
            "++" | "--" | "!" | "~" => Role::Prefix,
            "+" | "-" if !after_operand => Role::Prefix,
            _ if ASSIGNS.contains(&text) => Role::Assign,
            _ if INFIX.contains(&text) => {
                if let Some(level) = self.levels.last_mut().filter(|_| text == "?") {
                    level.ternaries += 1;
                }
                Role::Infix
            }
            _ => Role::Other,
        }
    }

    fn top(&self) -> &Level {
        self.levels.last().expect("the file is never closed")
    }

    /// Returns the text of the previous piece of code, or of an earlier one by `distance`.
    fn text_before(&self, distance: usize) -> Option<&str> {
        let mut at = self.before?;
        for _ in 0..distance {
            at = (0..at).rev().find(|&at| self.pieces[at].is_code())?;
        }
        Some(self.pieces[at].text)
    }

    fn role_before(&self) -> Option<Role> {
        self.before.map(|at| self.roles.list[at])
    }

    fn after_operand(&self) -> bool {
        matches!(
            self.role_before(),
            Some(
                Role::Word
                    | Role::Literal
                    | Role::ParenClose
                    | Role::IndexClose
                    | Role::ListClose
                    | Role::TemplateClose
                    | Role::Postfix
            )
        )
    }

    fn open(&mut self, at: usize, role: Role) -> Role {
        self.levels
            .push(Level { open: at, role, statement: Head::default(), ternaries: 0 });
        role
    }

    fn close(&mut self, at: usize, role: Role, opener: Role) -> Role {
        if self.top().role != opener {
            self.roles.unmatched.push(at);
            return role;
        }
        self.pair(at);
        role
    }

    fn pair(&mut self, at: usize) {
        if let Some(level) = self.levels.pop() {
            self.roles.partner[at] = Some(level.open);
            self.roles.partner[level.open] = Some(at);
        }
    }

    /// A closing brace also closes the open brackets in its block.
    fn close_block(&mut self, at: usize) -> Role {
        let is_block = |level: &Level| matches!(level.role, Role::BlockOpen(_));
        while self.levels.len() > 1 && !is_block(self.top()) {
            let level = self.levels.pop();
            self.roles.unmatched.extend(level.map(|level| level.open));
        }
        if self.levels.len() > 1 {
            self.pair(at);
        } else {
            self.roles.unmatched.push(at);
        }
        Role::BlockClose
    }

    fn closes_cast(&self) -> bool {
        let level = self.top();
        if level.role != Role::ParenOpen {
            return false;
        }
        let is_type = |at: &usize| TYPES.contains(&self.pieces[*at].text);
        let inside: Vec<usize> = (level.open + 1..self.roles.list.len()).take(3).collect();
        let before = self.pieces[..level.open].iter().rposition(Piece::is_code);
        let is_call = before.is_some_and(|at| {
            matches!(
                self.roles.list[at],
                Role::Word | Role::TemplateClose | Role::IndexClose | Role::ParenClose
            )
        });
        !is_call && !inside.is_empty() && inside.len() < 3 && inside.iter().all(is_type)
    }

    fn closes_template(&self) -> bool {
        let Some(name) = self.before else { return false };
        let open = self.roles.list[..name].iter().rposition(|role| *role != Role::Comment);
        self.pieces[name].is_word() && open.is_some_and(|at| self.roles.list[at] == Role::TemplateOpen)
    }

    fn colon(&mut self) -> Role {
        let Some(level) = self.levels.last_mut() else {
            return Role::Other;
        };
        if level.ternaries > 0 {
            level.ternaries -= 1;
            return Role::Infix;
        }
        Role::Colon
    }

    fn brace(&self, at: usize) -> Role {
        let Role::BlockOpen(outer) = self.top().role else {
            return Role::ListOpen;
        };
        let head = &self.top().statement;
        let first = head.first.map(|first| self.pieces[first].text);
        if first == Some("struct") && !head.has_assign {
            return Role::BlockOpen(BlockKind::Struct);
        }
        let after_value = match self.role_before() {
            Some(Role::Assign) if matches!(outer, BlockKind::File | BlockKind::Scene) => {
                return self.value_brace(at);
            }
            Some(Role::Assign | Role::Infix | Role::Prefix | Role::Comma) => true,
            Some(Role::Keyword) => self.text_before(0) == Some("return"),
            _ => false,
        };
        if after_value && first.is_some() {
            return Role::ListOpen;
        }
        Role::BlockOpen(match outer {
            BlockKind::Code | BlockKind::Struct => BlockKind::Code,
            BlockKind::Group | BlockKind::Scene => BlockKind::Scene,
            BlockKind::File if first == Some("group") && head.has_paren && !head.has_assign => {
                BlockKind::Group
            }
            BlockKind::File if head.has_assign || head.has_colon => BlockKind::Scene,
            BlockKind::File
                if first.is_none_or(|word| UnitKind::from_name(word).is_some()) || head.has_paren =>
            {
                BlockKind::Code
            }
            BlockKind::File => BlockKind::Scene,
        })
    }

    /// Returns the role of a brace after `=`: a block if it begins with a key and a value, else a list.
    fn value_brace(&self, at: usize) -> Role {
        let mut inside = self.pieces[at + 1..].iter().filter(|piece| piece.is_code());
        let key = inside.next().is_some_and(Piece::is_word);
        let is_block = key && inside.next().is_some_and(|piece| matches!(piece.text, "=" | "."));
        if is_block {
            Role::BlockOpen(BlockKind::Scene)
        } else {
            Role::ListOpen
        }
    }

    /// Updates the current statement by a piece.
    fn update_statement(&mut self, at: usize, role: Role) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if !matches!(level.role, Role::BlockOpen(_)) {
            if level.open == at && role == Role::ParenOpen {
                let outer = self.levels.len().checked_sub(2).and_then(|at| self.levels.get_mut(at));
                if let Some(outer) = outer {
                    outer.statement.has_paren = true;
                }
            }
            return;
        }
        match role {
            Role::Semi | Role::BlockClose | Role::BlockOpen(_) => {
                level.statement = Head::default();
                level.ternaries = 0;
            }
            _ => {
                level.statement.first.get_or_insert(at);
                level.statement.has_assign |= role == Role::Assign;
                level.statement.has_colon |= role == Role::Colon;
            }
        }
    }
}
