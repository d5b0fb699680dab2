//! How deep an expression is, found out before it is parsed: the parser, and everything that walks over
//! expressions, needs stack for each level.

use std::iter::Peekable;
use std::str::Chars;

/// The most levels that an expression may have, in brackets or in chains such as `1 + 1 + 1`.
const LEVELS_MAX: usize = 250;

/// What stands between two brackets. `a && b` has no depth, however long: the parser makes a balanced
/// tree of it.
#[derive(Debug, Default)]
struct Bracketed {
    /// The height of what is finished: arguments, sides of `&&`.
    tallest: usize,
    /// The height of operators that lean on what is left of them.
    chain: usize,
    /// The height of what follows the last operator.
    operand: usize,
    /// How many `?` were read; the last alternative is inside of all of them.
    conditionals: usize,
}

impl Bracketed {
    fn operator(&mut self) {
        self.chain = self.chain.max(self.operand) + 1;
        self.operand = 0;
    }

    fn finish_operand(&mut self) {
        let right = self.operand + usize::from(self.chain > 0);
        self.tallest = self.tallest.max(self.chain).max(right);
        (self.chain, self.operand) = (0, 0);
    }

    fn finish_argument(&mut self) {
        self.finish_operand();
        self.tallest += self.conditionals;
        self.conditionals = 0;
    }

    fn height(&self) -> usize {
        let right = self.operand + usize::from(self.chain > 0);
        self.tallest.max(self.chain).max(right) + self.conditionals
    }
}

/// Says why an expression is too deep, in the reference's words; `None` if it is not.
pub(super) fn problem(text: &str) -> Option<&'static str> {
    let mut scan = Scan { rest: text.chars().peekable(), open: vec![Bracketed::default()] };
    while let Some(character) = scan.rest.next() {
        scan.take(character);
        if scan.nesting() >= LEVELS_MAX {
            return Some("expression recursion limit exceeded: 250");
        }
        if scan.open.last().is_some_and(|last| last.height() > LEVELS_MAX) {
            return Some("max recursion depth exceeded");
        }
    }
    None
}

struct Scan<'t> {
    rest: Peekable<Chars<'t>>,
    open: Vec<Bracketed>,
}

impl Scan<'_> {
    fn nesting(&self) -> usize {
        let conditionals: usize = self.open.iter().map(|level| level.conditionals).sum();
        self.open.len() - 1 + conditionals
    }

    fn take(&mut self, character: char) {
        if character == '_' || character.is_alphanumeric() {
            return self.word(character);
        }
        match character {
            '"' | '\'' => return self.quoted(character, false),
            '/' if self.rest.peek() == Some(&'/') => {
                while self.rest.next_if(|next| *next != '\n').is_some() {}
                return;
            }
            ')' | ']' | '}' => return self.close(),
            _ => {}
        }
        let Some(level) = self.open.last_mut() else { return };
        match character {
            '(' | '{' => self.open.push(Bracketed::default()),
            '[' => {
                level.operand += 1;
                self.rest.next_if_eq(&'?');
                self.open.push(Bracketed::default());
            }
            '.' => {
                level.operand += 1;
                self.rest.next_if_eq(&'?');
            }
            '+' | '-' | '*' | '/' | '%' => level.operator(),
            '<' | '>' | '=' => {
                self.rest.next_if_eq(&'=');
                level.operator();
            }
            '!' if self.rest.next_if_eq(&'=').is_some() => level.operator(),
            '&' | '|' | ':' => level.finish_operand(),
            ',' => level.finish_argument(),
            '?' => {
                level.finish_operand();
                level.conditionals += 1;
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        if let (Some(inner), Some(outer)) = (self.open.pop(), self.open.last_mut()) {
            outer.operand = outer.operand.max(inner.height() + 1);
        }
    }

    /// A name, a number, or what stands before a text.
    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(|next| *next == '_' || next.is_alphanumeric()) {
            word.push(next);
        }
        if let Some(quote) = self.rest.next_if(|next| matches!(next, '"' | '\'')) {
            let is_raw = word.contains(['r', 'R']);
            return self.quoted(quote, is_raw);
        }
        if word == "in"
            && let Some(level) = self.open.last_mut()
        {
            level.operator();
        }
    }

    /// The rest of a text; three quotes end one that began with three.
    fn quoted(&mut self, quote: char, is_raw: bool) {
        let more = usize::from(self.rest.next_if_eq(&quote).is_some());
        let more = more + usize::from(more == 1 && self.rest.next_if_eq(&quote).is_some());
        let needed = match more {
            0 => 1,
            1 => return,
            _ => 3,
        };
        let mut seen = 0;
        while let Some(character) = self.rest.next() {
            if character == '\\' && !is_raw {
                self.rest.next();
            }
            seen = if character == quote { seen + 1 } else { 0 };
            if seen == needed {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(before: &str, middle: &str, after: &str, times: usize) -> Option<&'static str> {
        problem(&(before.repeat(times) + middle + &after.repeat(times)))
    }

    #[test]
    fn brackets_and_chains_may_have_as_many_levels_as_in_the_reference() {
        let nested = Some("expression recursion limit exceeded: 250");
        let long = Some("max recursion depth exceeded");
        for (before, middle, after, most, problem) in [
            ("(", "1", ")", 249, nested),
            ("[", "1", "]", 249, nested),
            ("{1: ", "1", "}", 249, nested),
            ("true ? 1 : ", "1", "", 249, nested),
            ("[1].all(x, ", "true", ")", 249, nested),
            ("size([", "1", "])", 124, nested),
            ("", "1", " + 1", 250, long),
            ("", "self", ".a", 250, long),
            ("", "self", "[0]", 250, long),
            ("", "1", " in 1", 250, long),
            ("", "[1]", ".map(x, x)", 249, long),
        ] {
            assert_eq!(deep(before, middle, after, most), None, "{before}{middle}{after}");
            assert_eq!(deep(before, middle, after, most + 1), problem, "{before}{middle}{after}");
        }
    }

    #[test]
    fn what_stands_side_by_side_is_not_deep() {
        for (middle, after) in [
            ("true", " && self.a.b == 1 + 2"),
            ("true", " || (true ? 1 : 2) == 1"),
            ("[1", ", 1 + 1"),
            ("''", " + '((((' == '' && true || r'\\' == ''"),
            ("'''", "''(("),
            ("1", " // ((((("),
        ] {
            assert_eq!(deep("", middle, after, 1_000), None, "{middle}{after}");
        }
    }

    #[test]
    fn what_is_inside_counts_for_all_that_is_around_it() {
        let chain = "1".to_owned() + &" + 1".repeat(200);
        assert_eq!(problem(&format!("({chain}) + 1")), None);
        assert!(deep("(", &chain, ")", 60).is_some());
        assert!(deep("f(1, ", &chain, ") + 1", 30).is_some());
    }
}
