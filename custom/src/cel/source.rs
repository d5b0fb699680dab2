//! Reading expressions, and saying where in them something is wrong.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::cel::IdedExpr;
use ::cel::common::ast::SourceInfo;
use ::cel::parser::Parser;

/// Reads an expression. Problems are worded by the grammar, which is the reference's.
pub(super) fn parse(text: &str) -> Result<(IdedExpr, SourceInfo), String> {
    let parser = Parser::new().enable_optional_syntax(true).enable_ident_escape_syntax(true);
    // The parser is generated code; whatever a client writes must not take more down than itself.
    let parsed = catch_unwind(AssertUnwindSafe(|| parser.parse_with_source_info(text)));
    let errors = match parsed {
        Ok(Ok(parsed)) => return Ok(parsed),
        Ok(Err(errors)) => errors.errors,
        Err(_) => return Err(located(text, 0, "Syntax error: unreadable expression")),
    };
    let problem = |error: &::cel::ParseError| {
        let line = usize::try_from(error.pos.0).unwrap_or(1).max(1);
        let column = usize::try_from(error.pos.1).unwrap_or(1).max(1);
        at(text, line, column, &error.msg)
    };
    Err(errors.iter().map(problem).collect::<Vec<_>>().join("\n"))
}

/// A problem at a place, which is counted in bytes.
pub(super) fn located(text: &str, offset: usize, problem: &str) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    at(text, line, column, problem)
}

fn at(text: &str, line: usize, column: usize, problem: &str) -> String {
    let mut out = format!("ERROR: <input>:{line}:{column}: {problem}");
    if let Some(shown) = text.split('\n').nth(line - 1).filter(|_| !text.is_empty()) {
        let dots = ".".repeat(column - 1);
        out.push_str(&format!("\n | {shown}\n | {dots}^"));
    }
    out
}
