//! Answers to the requests of an editor.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_server::{ErrorCode, Request};
use lsp_types::{
    CodeActionParams, ColorPresentationParams, CompletionParams, DocumentColorParams,
    DocumentFormattingParams, DocumentHighlightParams, DocumentRangeFormattingParams, DocumentSymbolParams,
    GotoDefinitionParams, HoverParams, InlayHintParams, Location as Address, Position, ReferenceParams,
    RenameParams, SemanticTokensParams, SignatureHelpParams, TextDocumentPositionParams, TextEdit, Uri,
    WorkspaceSymbolParams,
};
use serde_json::{Value, json};
use shading_editor::{
    self as editor, Completion, CompletionKind, Document, Location, Query, Symbol, Vocabulary,
};

use super::address::{path_of, uri_of};
use super::checker::Findings;
use super::completion::{completion_item, likeliest};
use super::store::Store;
use super::symbol::{self, MAX_SYMBOLS};
use super::{convert, formatting, shipped};
use renderer_support::lock;

/// Why a request has no answer.
pub(super) struct AnswerError {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl From<serde_json::Error> for AnswerError {
    fn from(error: serde_json::Error) -> AnswerError {
        AnswerError { code: ErrorCode::InvalidParams, message: error.to_string() }
    }
}

impl From<String> for AnswerError {
    fn from(message: String) -> AnswerError {
        AnswerError { code: ErrorCode::InvalidRequest, message }
    }
}

type Answer = Result<Value, AnswerError>;

/// Inputs of answers.
pub(super) struct Answerer<'a> {
    pub(super) store: &'a Store,
    pub(super) world: &'a Vocabulary,
    pub(super) findings: &'a Findings,
    /// Texts of the folders that the client has open.
    pub(super) workspace: Vec<PathBuf>,
}

impl Answerer<'_> {
    pub(super) fn answer(&self, request: &Request) -> Answer {
        macro_rules! given {
            () => {
                serde_json::from_value(request.params.clone())?
            };
        }
        match request.method.as_str() {
            "textDocument/hover" => self.hover(&given!()),
            "textDocument/completion" => self.completion(&given!()),
            "textDocument/signatureHelp" => self.signature_help(&given!()),
            "textDocument/definition" => self.definition(&given!()),
            "textDocument/references" => self.references(&given!()),
            "textDocument/documentHighlight" => self.highlight(&given!()),
            "textDocument/prepareRename" => self.prepare_rename(&given!()),
            "textDocument/rename" => self.rename(&given!()),
            "textDocument/documentSymbol" => self.document_symbol(&given!()),
            "workspace/symbol" => self.workspace_symbol(&given!()),
            "textDocument/semanticTokens/full" => self.semantic_tokens(&given!()),
            "textDocument/documentColor" => self.colors(&given!()),
            "textDocument/colorPresentation" => self.color_presentation(&given!()),
            "textDocument/inlayHint" => self.inlay_hints(&given!()),
            "textDocument/formatting" => self.formatting(&given!()),
            "textDocument/rangeFormatting" => self.range_formatting(&given!()),
            "textDocument/codeAction" => self.code_actions(&given!()),
            other => Err(AnswerError {
                code: ErrorCode::MethodNotFound,
                message: format!("no method {other}"),
            }),
        }
    }

    fn document(&self, uri: &Uri) -> Option<Arc<Document>> {
        let open = self.store.open.values().find(|open| open.uri == *uri);
        match open {
            Some(open) => Some(open.document.clone()),
            None => self.store.get(&path_of(uri, None)),
        }
    }

    fn query<'q>(&'q self, document: &'q Arc<Document>) -> Query<'q> {
        Query { vocabulary: self.world, files: self.store, document }
    }

    /// Asks a question about a text; null where there is no text or no answer.
    fn ask(&self, uri: &Uri, answer: impl FnOnce(&Query<'_>) -> Option<Value>) -> Answer {
        let document = self.document(uri);
        Ok(document
            .and_then(|document| answer(&self.query(&document)))
            .unwrap_or(Value::Null))
    }

    /// Asks a question about a place of a text.
    fn ask_at(
        &self,
        at: &TextDocumentPositionParams,
        answer: impl FnOnce(&Query<'_>, usize) -> Option<Value>,
    ) -> Answer {
        self.ask(&at.text_document.uri, |query| {
            answer(query, convert::offset(query.document, at.position))
        })
    }

    /// The address of a text; that of a copy for what ships with Kiln.
    fn uri(&self, location: &Location) -> Option<Uri> {
        if let Some(open) = self.store.open.get(&location.path) {
            return Some(open.uri.clone());
        }
        match &location.document {
            Some(document) if !location.path.is_absolute() => uri_of(&shipped::copy_of(document)?),
            _ => uri_of(&location.path),
        }
    }

    fn address(&self, location: &Location) -> Option<Address> {
        let range = match &location.document {
            Some(document) => convert::range(document, &location.range),
            None => lsp_types::Range::default(),
        };
        Some(Address::new(self.uri(location)?, range))
    }

    /// The texts that are open, and those of the workspace.
    fn others(&self) -> Vec<Arc<Document>> {
        self.paths().filter_map(|path| self.store.get(path)).collect()
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let closed = self.workspace.iter().filter(|path| !self.store.open.contains_key(*path));
        self.store.open.keys().chain(closed)
    }

    fn hover(&self, params: &HoverParams) -> Answer {
        self.ask_at(&params.text_document_position_params, |query, offset| {
            let hover = editor::hover(query, offset)?;
            Some(json!({
                "contents": { "kind": "markdown", "value": hover.text },
                "range": convert::range(query.document, &hover.range),
            }))
        })
    }

    fn completion(&self, params: &CompletionParams) -> Answer {
        // After a trigger character, a list of values without a prefix would disturb typing.
        let trigger = params.context.as_ref().and_then(|context| context.trigger_character.as_deref());
        self.ask_at(&params.text_document_position, |query, offset| {
            let found = editor::completions(query, offset);
            let is_closed = |item: &Completion| {
                matches!(
                    item.kind,
                    CompletionKind::Property | CompletionKind::Value | CompletionKind::File
                )
            };
            if trigger.is_some() && !found.list.iter().all(is_closed) {
                return None;
            }
            let range = convert::range(query.document, &found.range);
            let typed = query.document.text.get(found.range.start..offset);
            let (list, is_whole) = likeliest(&found.list, typed.unwrap_or_default());
            let items = list.iter().map(|item| completion_item(item, range));
            Some(json!({ "isIncomplete": !is_whole, "items": items.collect::<Vec<Value>>() }))
        })
    }

    fn signature_help(&self, params: &SignatureHelpParams) -> Answer {
        self.ask_at(&params.text_document_position_params, |query, offset| {
            let found = editor::signatures(query, offset)?;
            let signature = |form: &editor::Signature| {
                let params = form.params.iter().zip(&form.param_help);
                let params = params.map(|(label, help)| json!({ "label": label, "documentation": help }));
                json!({
                    "label": form.label,
                    "documentation": form.help,
                    "parameters": params.collect::<Vec<_>>(),
                })
            };
            Some(json!({
                "signatures": found.list.iter().map(signature).collect::<Vec<_>>(),
                "activeSignature": found.active,
                "activeParameter": found.param,
            }))
        })
    }

    fn definition(&self, params: &GotoDefinitionParams) -> Answer {
        self.ask_at(&params.text_document_position_params, |query, offset| {
            let location = editor::definition(query, offset)?;
            serde_json::to_value(self.address(&location)?).ok()
        })
    }

    fn references(&self, params: &ReferenceParams) -> Answer {
        let with_definition = params.context.include_declaration;
        self.ask_at(&params.text_document_position, |query, offset| {
            let found = editor::references(query, offset, &self.others(), with_definition);
            let list: Vec<Address> = found.iter().filter_map(|location| self.address(location)).collect();
            serde_json::to_value(list).ok()
        })
    }

    /// Uses in the text itself.
    fn highlight(&self, params: &DocumentHighlightParams) -> Answer {
        self.ask_at(&params.text_document_position_params, |query, offset| {
            let found = editor::references(query, offset, &[], true);
            let here = found.iter().filter(|location| location.path == query.document.path);
            let list =
                here.map(|location| json!({ "range": convert::range(query.document, &location.range) }));
            Some(list.collect())
        })
    }

    fn prepare_rename(&self, at: &TextDocumentPositionParams) -> Answer {
        let Some(document) = self.document(&at.text_document.uri) else {
            return Ok(Value::Null);
        };
        let offset = convert::offset(&document, at.position);
        let (range, name) = editor::renamable(&self.query(&document), offset)?;
        Ok(json!({ "range": convert::range(&document, &range), "placeholder": name }))
    }

    fn rename(&self, params: &RenameParams) -> Answer {
        let at = &params.text_document_position;
        let Some(document) = self.document(&at.text_document.uri) else {
            return Ok(Value::Null);
        };
        let offset = convert::offset(&document, at.position);
        let places = editor::rename(&self.query(&document), offset, &params.new_name, &self.others())?;
        let mut changes: HashMap<String, Vec<TextEdit>> = HashMap::new();
        for place in &places {
            if let Some(address) = self.address(place) {
                let edit = TextEdit::new(address.range, params.new_name.clone());
                changes.entry(address.uri.as_str().to_owned()).or_default().push(edit);
            }
        }
        Ok(json!({ "changes": changes }))
    }

    fn document_symbol(&self, params: &DocumentSymbolParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            let list = editor::symbols(query.document);
            let list = list.iter().map(|symbol| symbol::document_symbol(query.document, symbol));
            serde_json::to_value(list.collect::<Vec<_>>()).ok()
        })
    }

    fn workspace_symbol(&self, params: &WorkspaceSymbolParams) -> Answer {
        let wanted = params.query.to_lowercase();
        let mut list = vec![];
        for document in self.paths().filter_map(|path| self.store.get(path)) {
            let fits = |symbol: &&Symbol| symbol.name.to_lowercase().contains(&wanted);
            for symbol in editor::symbols(&document).iter().filter(fits) {
                let location = Location {
                    document: Some(document.clone()),
                    path: document.path.clone(),
                    range: symbol.name_range.clone(),
                };
                list.push(json!({
                    "name": symbol.name,
                    "kind": symbol::kind(symbol.kind),
                    "location": self.address(&location),
                    "containerName": symbol.detail,
                }));
            }
            if list.len() >= MAX_SYMBOLS {
                break;
            }
        }
        Ok(Value::Array(list))
    }

    fn semantic_tokens(&self, params: &SemanticTokensParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            Some(symbol::semantic_tokens(query.document, &editor::highlights(query)))
        })
    }

    fn colors(&self, params: &DocumentColorParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            let list = editor::colors(query);
            let list = list.iter().map(|place| {
                let [red, green, blue] = place.srgb;
                json!({
                    "range": convert::range(query.document, &place.range),
                    "color": { "red": red, "green": green, "blue": blue, "alpha": 1.0 },
                })
            });
            Some(list.collect())
        })
    }

    fn color_presentation(&self, params: &ColorPresentationParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            let document = query.document;
            let offset = |at: Position| convert::offset(document, at);
            let old = document.text.get(offset(params.range.start)..offset(params.range.end))?;
            let color = params.color;
            let text = editor::color_text([color.red, color.green, color.blue], old);
            Some(json!([{ "label": text, "textEdit": { "range": params.range, "newText": text } }]))
        })
    }

    fn inlay_hints(&self, params: &InlayHintParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            let offset = |at: Position| convert::offset(query.document, at);
            let list = editor::inlays(query, offset(params.range.start)..offset(params.range.end));
            let list = list.iter().map(|inlay| {
                let bytes = inlay.offset..inlay.offset;
                json!({
                    "position": convert::range(query.document, &bytes).start,
                    "label": inlay.label,
                    "kind": if inlay.is_type { 1 } else { 2 },
                    "paddingRight": !inlay.is_type,
                })
            });
            Some(list.collect())
        })
    }

    fn formatting(&self, params: &DocumentFormattingParams) -> Answer {
        self.ask(&params.text_document.uri, |query| Some(formatting::edits(query.document, None)))
    }

    fn range_formatting(&self, params: &DocumentRangeFormattingParams) -> Answer {
        self.ask(&params.text_document.uri, |query| {
            Some(formatting::edits(query.document, Some(params.range)))
        })
    }

    fn code_actions(&self, params: &CodeActionParams) -> Answer {
        let uri = &params.text_document.uri;
        self.ask(uri, |query| {
            let document = query.document;
            let all = lock(self.findings);
            let findings = all.get(&document.path).map_or(&[][..], Vec::as_slice);
            let mut list = vec![];
            for finding in findings {
                let diagnostic = convert::diagnostic(finding, uri_of);
                let range = diagnostic.range;
                let is_here = range.start <= params.range.end && params.range.start <= range.end;
                if let Some(fix) = editor::fix(document, finding).filter(|_| is_here) {
                    let edit = TextEdit::new(convert::range(document, &fix.range), fix.text);
                    list.push(json!({
                        "title": fix.title,
                        "kind": "quickfix",
                        "isPreferred": true,
                        "diagnostics": [diagnostic],
                        "edit": { "changes": { (uri.as_str()): [edit] } },
                    }));
                }
            }
            Some(Value::Array(list))
        })
    }
}
