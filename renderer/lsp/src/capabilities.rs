//! Capabilities that the server reports to its client.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, ColorProviderCapability,
    CompletionOptions, HoverProviderCapability, OneOf, RenameOptions, SemanticTokenModifier,
    SemanticTokenType, SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use shading_editor::Meaning;

pub(super) fn capabilities() -> ServerCapabilities {
    let words = |list: &[&str]| Some(list.iter().map(|&word| word.to_owned()).collect());
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: words(&[".", "(", ",", "\"", "/", "=", ":", " "]),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: words(&["(", ","]),
            ..SignatureHelpOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                range: Some(false),
                ..SemanticTokensOptions::default()
            },
        )),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        color_provider: Some(ColorProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// Names of the meanings of tokens, in the order of [`Meaning::ALL`].
fn legend() -> SemanticTokensLegend {
    let name = |meaning: Meaning| match meaning {
        Meaning::Keyword => SemanticTokenType::KEYWORD,
        Meaning::Type => SemanticTokenType::TYPE,
        Meaning::Struct => SemanticTokenType::STRUCT,
        Meaning::Unit => SemanticTokenType::CLASS,
        Meaning::Function => SemanticTokenType::FUNCTION,
        Meaning::Parameter => SemanticTokenType::PARAMETER,
        Meaning::Variable => SemanticTokenType::VARIABLE,
        Meaning::Constant => SemanticTokenType::ENUM_MEMBER,
        Meaning::Property => SemanticTokenType::PROPERTY,
        Meaning::Kind => SemanticTokenType::ENUM,
        Meaning::Macro => SemanticTokenType::MACRO,
        Meaning::Number => SemanticTokenType::NUMBER,
        Meaning::Text => SemanticTokenType::STRING,
        Meaning::Comment => SemanticTokenType::COMMENT,
    };
    SemanticTokensLegend {
        token_types: Meaning::ALL.into_iter().map(name).collect(),
        token_modifiers: vec![SemanticTokenModifier::DEFINITION],
    }
}
