//! Texts: keeping lines, replacing, sorting.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexBuilder};

use crate::normalise::compile;

/// How a text is trimmed before it is compared.
///
/// Patterns and replacements are written as Python's `re` has them: `^` and `$` match at every line
/// in `replace`, and `\1` in a replacement stands for the first group.
#[derive(Debug, Default)]
pub struct Trim {
    grep: Option<Regex>,
    replace: Vec<(Regex, String)>,
    sort_lines: bool,
}

impl Trim {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// That of the first pattern that is none.
    pub fn new(
        grep: Option<&str>,
        replace: &[(String, String)],
        sort_lines: bool,
    ) -> Result<Self, regex::Error> {
        let compile = |(pattern, with): &(String, String)| {
            let pattern = RegexBuilder::new(pattern).multi_line(true).build()?;
            Ok((pattern, template(with)))
        };
        Ok(Self {
            grep: grep.map(Regex::new).transpose()?,
            replace: replace.iter().map(compile).collect::<Result<_, _>>()?,
            sort_lines,
        })
    }

    /// Keeps the lines that match, where a pattern says which.
    #[must_use]
    pub fn grep(&self, text: String) -> String {
        match &self.grep {
            None => text,
            Some(pattern) => {
                let kept: Vec<_> = text.lines().filter(|line| pattern.is_match(line)).collect();
                kept.join("\n")
            }
        }
    }

    /// Replaces what matches, pattern by pattern.
    #[must_use]
    pub fn replace(&self, text: String) -> String {
        self.replace.iter().fold(text, |text, (pattern, with)| {
            pattern.replace_all(&text, with.as_str()).into_owned()
        })
    }

    /// Sorts the lines, where that is asked for.
    #[must_use]
    pub fn sort(&self, text: String) -> String {
        if !self.sort_lines {
            return text;
        }
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }
}

/// A replacement as the regex crate has it.
fn template(python: &str) -> String {
    let mut out = String::with_capacity(python.len());
    let mut rest = python.chars();
    while let Some(c) = rest.next() {
        match c {
            '$' => out.push_str("$$"),
            '\\' => match rest.next() {
                Some(group) if group.is_ascii_digit() => {
                    out.push_str("${");
                    out.push(group);
                    out.push('}');
                }
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            other => out.push(other),
        }
    }
    out
}

/// Replaces every word between blanks that satisfies `is`; the text's first word is left alone.
pub(crate) fn replace_words(text: &str, is: impl Fn(&str) -> bool, with: &str) -> String {
    static WORD: LazyLock<Regex> = LazyLock::new(|| compile(r"(\s)(\S+)"));
    let word = |found: &Captures<'_>| {
        if is(&found[2]) { format!("{}{with}", &found[1]) } else { found[0].to_owned() }
    };
    WORD.replace_all(text, word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trim(grep: Option<&str>, replace: &[(&str, &str)], sort: bool) -> Trim {
        let replace: Vec<_> =
            replace.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Trim::new(grep, &replace, sort).unwrap()
    }

    #[test]
    fn grep_keeps_lines_and_drops_the_last_newline() {
        let trim = trim(Some("^a|z$"), &[], false);
        assert_eq!(trim.grep("ab\ncd\ncz\n".to_owned()), "ab\ncz");
    }

    #[test]
    fn replacements_name_groups_in_pythons_way_and_see_every_line() {
        let trim = trim(None, &[(r"^(a+), *\d+$", r"\1<q>"), ("b", "$1")], false);
        assert_eq!(trim.replace("aa,  12\na, 3\nb".to_owned()), "aa<q>\na<q>\n$1");
    }

    #[test]
    fn lines_are_sorted_only_where_asked() {
        assert_eq!(trim(None, &[], true).sort("b\na\n".to_owned()), "a\nb");
        assert_eq!(trim(None, &[], false).sort("b\na\n".to_owned()), "b\na\n");
    }

    #[test]
    fn words_are_replaced_between_blanks_but_not_at_the_start() {
        let replaced = replace_words("5m 5m x\n6m\n", |word| word.ends_with('m'), "<age>");
        assert_eq!(replaced, "5m <age> x\n<age>\n");
    }
}
