//! Regular expressions as the reference's library reads them (RE2), on the engine that is at hand.
//!
//! Both run in linear time. They differ in what the short classes mean (ASCII only in RE2) and in what
//! stands in brackets, so expressions are rewritten before they are compiled.

use regex::{Regex, RegexBuilder};

/// How many bytes a compiled expression may take.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// An expression that was compiled, with its text as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) regex: Regex,
}

/// Why a text is no regular expression, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {reason}: `{part}`")]
pub(crate) struct PatternError {
    reason: &'static str,
    part: String,
}

impl Pattern {
    pub(crate) fn compile(text: &str) -> Result<Self, PatternError> {
        let error = |reason| PatternError { reason, part: text.to_owned() };
        let rewritten = rewrite(text)?;
        let regex = RegexBuilder::new(&rewritten).size_limit(COMPILED_BYTES_MAX).build();
        let regex = regex.map_err(|problem| match problem {
            regex::Error::CompiledTooBig(_) => error("expression too large"),
            problem => reason(text, &problem.to_string()),
        })?;
        Ok(Self { text: text.to_owned(), regex })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// The reference's words for what the engine at hand says.
fn reason(text: &str, problem: &str) -> PatternError {
    let whole = |reason| PatternError { reason, part: text.to_owned() };
    let part = |reason, part: &str| PatternError { reason, part: part.to_owned() };
    for look_around in ["(?=", "(?!", "(?<=", "(?<!"] {
        if text.contains(look_around) {
            let shown = look_around.get(..3).unwrap_or(look_around);
            return part("invalid or unsupported Perl syntax", shown);
        }
    }
    if problem.contains("unclosed group") {
        whole("missing closing )")
    } else if problem.contains("unopened group") {
        whole("unexpected )")
    } else if problem.contains("unclosed character class") {
        let start = text.rfind('[').unwrap_or(0);
        part("missing closing ]", text.get(start..).unwrap_or(text))
    } else if problem.contains("repetition operator missing expression") {
        let operator = text.find(['*', '+', '?']).and_then(|at| text.get(at..=at));
        part("missing argument to repetition operator", operator.unwrap_or("*"))
    } else if problem.contains("invalid character class range") {
        let dash = text.find('-').unwrap_or(0);
        let around = text.get(dash.saturating_sub(1)..(dash + 2).min(text.len()));
        part("invalid character class range", around.unwrap_or(text))
    } else if problem.contains("unrecognized escape sequence") {
        let start = text.find('\\').unwrap_or(0);
        part("invalid escape sequence", text.get(start..start + 2).unwrap_or(text))
    } else if problem.contains("repetition") {
        let start = text.find('{').unwrap_or(0);
        let end = text.find('}').map_or(text.len(), |at| at + 1);
        part("invalid repeat count", text.get(start..end).unwrap_or(text))
    } else {
        whole("invalid or unsupported Perl syntax")
    }
}

struct Rewriter<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    out: String,
}

/// The same expression in the words of the engine at hand.
fn rewrite(text: &str) -> Result<String, PatternError> {
    let mut rewriter = Rewriter { rest: text.chars().peekable(), out: String::new() };
    while let Some(character) = rewriter.rest.next() {
        match character {
            '\\' => rewriter.escape(text)?,
            '[' => rewriter.class(text)?,
            '*' | '+' | '?' => rewriter.repetition(character)?,
            other => rewriter.out.push(other),
        }
    }
    Ok(rewriter.out)
}

impl Rewriter<'_> {
    /// An operator after another one means nothing, but for the question mark that makes it modest.
    fn repetition(&mut self, operator: char) -> Result<(), PatternError> {
        self.out.push(operator);
        if self.out.ends_with("(?") {
            return Ok(());
        }
        if self.rest.peek() == Some(&'?') {
            self.rest.next();
            self.out.push('?');
        }
        match self.rest.peek() {
            Some(next @ ('*' | '+' | '?')) => {
                let part = format!("{operator}{next}");
                Err(PatternError { reason: "invalid nested repetition operator", part })
            }
            _ => Ok(()),
        }
    }

    fn escape(&mut self, text: &str) -> Result<(), PatternError> {
        let Some(character) = self.rest.next() else {
            return Err(PatternError {
                reason: "trailing backslash at end of expression",
                part: text
                    .chars()
                    .last()
                    .filter(|last| *last != '\\')
                    .map(String::from)
                    .unwrap_or_default(),
            });
        };
        match character {
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' => self.out.push_str(r"(?-u:\B)"),
            'Q' => self.literal(),
            'Z' | '<' | '>' => {
                return Err(PatternError {
                    reason: "invalid escape sequence",
                    part: format!("\\{character}"),
                });
            }
            other => match short_class(other) {
                Some((negated, members)) => {
                    let caret = if negated { "^" } else { "" };
                    self.out.extend(["[", caret, members, "]"]);
                }
                None => self.out.extend(['\\', other]),
            },
        }
        Ok(())
    }

    /// `\Q…\E`: what stands between is meant as it stands.
    fn literal(&mut self) {
        let mut literal = String::new();
        while let Some(character) = self.rest.next() {
            if character == '\\' && self.rest.peek() == Some(&'E') {
                self.rest.next();
                break;
            }
            literal.push(character);
        }
        self.out.push_str(&regex::escape(&literal));
    }

    fn class(&mut self, text: &str) -> Result<(), PatternError> {
        self.out.push('[');
        if self.rest.peek() == Some(&'^') {
            self.rest.next();
            self.out.push('^');
        }
        let mut first = true;
        while let Some(character) = self.rest.next() {
            match character {
                ']' if !first => {
                    self.out.push(']');
                    return Ok(());
                }
                ']' => self.out.push_str(r"\]"),
                '[' if self.rest.peek() == Some(&':') => self.out.push('['),
                '[' => self.out.push_str(r"\["),
                '&' | '~' => self.out.extend(['\\', character]),
                '-' if first => self.out.push_str(r"\-"),
                '-' if self.rest.peek() == Some(&'-') => {
                    self.rest.next();
                    self.out.push_str(r"-\-");
                }
                ':' if self.rest.peek() == Some(&']') && self.in_named_class() => {
                    self.rest.next();
                    self.out.push_str(":]");
                }
                '\\' => self.escape_in_class(text)?,
                other => self.out.push(other),
            }
            first = false;
        }
        let start = text.rfind('[').unwrap_or(0);
        let part = text.get(start..).unwrap_or(text).to_owned();
        Err(PatternError { reason: "missing closing ]", part })
    }

    /// Whether `[:name` has been begun and not been closed.
    fn in_named_class(&self) -> bool {
        let begun = self.out.rfind("[:");
        begun.is_some_and(|at| !self.out.get(at..).unwrap_or_default().contains(":]"))
    }

    fn escape_in_class(&mut self, text: &str) -> Result<(), PatternError> {
        match self.rest.next() {
            None => Err(PatternError { reason: "missing closing ]", part: text.to_owned() }),
            Some(character) => {
                match short_class(character) {
                    Some((true, members)) => self.out.extend(["[^", members, "]"]),
                    Some((false, members)) => self.out.push_str(members),
                    None => self.out.extend(['\\', character]),
                }
                Ok(())
            }
        }
    }
}

/// What a short class stands for, and whether it is everything else.
fn short_class(character: char) -> Option<(bool, &'static str)> {
    let members = match character.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => r"\t\n\x0C\r ",
        _ => return None,
    };
    Some((character.is_ascii_uppercase(), members))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::compile(pattern).unwrap().is_match(text)
    }

    #[test]
    fn short_classes_are_ascii() {
        assert!(matches(r"^\d+$", "12") && !matches(r"^\d+$", "١"));
        assert!(matches(r"^[\w-]+$", "a-b") && !matches(r"^\w$", "é"));
        assert!(matches(r"^\W$", "é") && matches(r"^[^\s]$", "\u{a0}") && matches(r"^[\D]$", "x"));
        assert!(matches(r"a\b", "aé"));
    }

    #[test]
    fn brackets_hold_what_stands_in_them() {
        assert!(matches(r"^[[a]+$", "[a[") && matches("^[]a]+$", "]a"));
        assert!(matches(r"^[[:alpha:]&&b-]+$", "x&-") && matches(r"^[+--]$", ","));
        assert!(matches(r"^\Qa.b\E$", "a.b") && !matches(r"^\Qa.b\E$", "axb"));
    }

    #[test]
    fn what_is_wrong_is_said_in_the_references_words() {
        for (pattern, text) in [
            ("(a", "error parsing regexp: missing closing ): `(a`"),
            ("a[b", "error parsing regexp: missing closing ]: `[b`"),
            ("*a", "error parsing regexp: missing argument to repetition operator: `*`"),
            ("(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"),
            ("a)", "error parsing regexp: unexpected ): `a)`"),
        ] {
            assert_eq!(Pattern::compile(pattern).unwrap_err().to_string(), text);
        }
    }
}
