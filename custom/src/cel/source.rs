//! Reading expressions, and saying where in them something is wrong.

use std::thread;

use ::cel::IdedExpr;
use ::cel::common::ast::SourceInfo;
use ::cel::parser::Parser;

use super::depth;

/// Enough for an expression of the greatest depth, without optimizations. Only what is used is taken.
const STACK_BYTES: usize = 64 << 20;

/// Reads an expression. Problems are worded by the grammar, which is the reference's.
pub(super) fn parse(text: &str) -> Result<(IdedExpr, SourceInfo), String> {
    if let Some(problem) = depth::problem(text) {
        return Err(format!("ERROR: <input>:-1:0: {problem}"));
    }
    // Depth has been looked at.
    let parser = Parser::new()
        .enable_optional_syntax(true)
        .enable_ident_escape_syntax(true)
        .max_recursion_depth(u16::MAX - 1);
    let errors = match parser.parse_with_source_info(text) {
        Ok(parsed) => return Ok(parsed),
        Err(errors) => errors.errors,
    };
    let problem = |error: &::cel::ParseError| {
        let line = usize::try_from(error.pos.0).unwrap_or(1).max(1);
        let column = usize::try_from(error.pos.1).unwrap_or(1).max(1);
        at(text, line, column, &error.msg)
    };
    Err(errors.iter().map(problem).collect::<Vec<_>>().join("\n"))
}

/// Does work for which an expression may need more stack than threads have, and which must not take
/// down more than itself: the parser is generated code. Gives `None` if the work was not done.
pub(super) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, work).ok()?.join().ok()
    })
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
