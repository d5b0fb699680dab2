//! What is wrong with YAML, in the words of the parser that the reference uses, which clients know.
//! Ours finds the same faults, at the same places, and calls some of them otherwise.

/// Who finds a fault, in the reference: the lines of both count differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finder {
    Scanner,
    Parser,
}

/// A fault, and the lines (from 0) of where what is at fault begins and where it shows.
struct Fault {
    problem: &'static str,
    finder: Finder,
    begins: usize,
    shows: usize,
}

/// The reference's text for a message of ours. What it has no words for stays as it is.
pub(super) fn in_other_words(message: &str, text: &str) -> String {
    match not_in_json(message) {
        Some(number) => format!("json: unsupported value: {number}"),
        None => format!("yaml: {}", fault_in_other_words(message, text)),
    }
}

/// A number that YAML has and JSON has not, as Go writes it.
fn not_in_json(message: &str) -> Option<&'static str> {
    let number = message.strip_prefix("non-finite float `")?;
    Some(match number.split('`').next()?.to_ascii_lowercase().as_str() {
        ".nan" => "NaN",
        "-.inf" => "-Inf",
        _ => "+Inf",
    })
}

fn fault_in_other_words(message: &str, text: &str) -> String {
    let Some((what, line, column)) = located(message) else { return message.to_owned() };
    if what == "alias references unknown anchor" {
        return format!("unknown anchor '{}' referenced", alias(text, line, column));
    }
    let Some(fault) = fault(what, line, text) else { return message.to_owned() };
    // A fault that begins on the first line counts where it shows; neither there is said at all.
    let counted = if fault.begins == 0 { fault.shows } else { fault.begins };
    match (counted, fault.finder) {
        (0, _) => fault.problem.to_owned(),
        (line, Finder::Scanner) => format!("line {}: {}", line + 1, fault.problem),
        (line, Finder::Parser) => format!("line {line}: {}", fault.problem),
    }
}

/// A message without its end, and the line and column (from 0) that stand there.
fn located(message: &str) -> Option<(&str, usize, usize)> {
    let (what, place) = message.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(", column ")?;
    let number = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
    Some((what, number(line)?, number(column)?))
}

fn fault(what: &str, line: usize, text: &str) -> Option<Fault> {
    let here = |problem, finder| Fault { problem, finder, begins: line, shows: line };
    let shows_here = |problem| Fault { problem, finder: Finder::Parser, begins: 0, shows: line };
    let end = text.lines().count();
    Some(match what {
        "mapping values are not allowed in this context" => {
            here("mapping values are not allowed in this context", Finder::Scanner)
        }
        "block sequence entries are not allowed in this context" => {
            here("block sequence entries are not allowed in this context", Finder::Scanner)
        }
        "while parsing a block mapping, did not find expected key" => {
            shows_here("did not find expected key")
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            shows_here("did not find expected '-' indicator")
        }
        "unclosed bracket '['" => unclosed("did not find expected ',' or ']'", line, end, text),
        "unclosed bracket '{'" => unclosed("did not find expected ',' or '}'", line, end, text),
        "unclosed quote" => Fault {
            problem: "found unexpected end of stream",
            finder: Finder::Scanner,
            begins: line,
            shows: text.matches('\n').count(),
        },
        "simple key expected ':'" => Fault {
            problem: "could not find expected ':'",
            finder: Finder::Scanner,
            begins: line,
            shows: end,
        },
        "while parsing a quoted scalar, found unknown escape character" => {
            here("found unknown escape character", Finder::Scanner)
        }
        "while scanning an anchor or alias, did not find expected alphabetic or numeric character" => {
            here("did not find expected alphabetic or numeric character", Finder::Scanner)
        }
        _ if what.starts_with("unexpected character:") || what.starts_with("tabs disallowed") => {
            here("found character that cannot start any token", Finder::Scanner)
        }
        _ if what.starts_with("invalid trailing content after") => {
            shows_here("did not find expected key")
        }
        _ => return None,
    })
}

/// What is open at the end lacks an item, or what stands between items.
fn unclosed(between: &'static str, line: usize, end: usize, text: &str) -> Fault {
    if text.trim_end().ends_with(['[', '{', ',', ':']) {
        let problem = "did not find expected node content";
        return Fault { problem, finder: Finder::Parser, begins: end, shows: end };
    }
    Fault { problem: between, finder: Finder::Parser, begins: line, shows: end }
}

/// The name behind the asterisk at a place.
fn alias(text: &str, line: usize, column: usize) -> String {
    let rest = text.lines().nth(line).unwrap_or_default().chars().skip(column);
    let name = rest.skip_while(|character| *character == '*');
    name.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn faults_have_the_names_and_lines_that_clients_know() {
        for (text, expected) in [
            ("a: [", "line 1: did not find expected node content"),
            ("a: [1,", "line 1: did not find expected node content"),
            ("a: [1", "line 1: did not find expected ',' or ']'"),
            ("x: y\n\n\na: [1\n", "line 3: did not find expected ',' or ']'"),
            ("a: {", "line 1: did not find expected node content"),
            ("a: {b: 1", "line 1: did not find expected ',' or '}'"),
            ("a: 'x", "found unexpected end of stream"),
            ("b: c\na: \"x\n", "line 2: found unexpected end of stream"),
            ("a: b: c", "mapping values are not allowed in this context"),
            ("a: 1\n b: 2", "line 2: mapping values are not allowed in this context"),
            ("a:\n  - b\n c: d\n", "line 2: did not find expected key"),
            ("- a\nb: c", "line 1: did not find expected '-' indicator"),
            ("a:\n\t- b", "line 2: found character that cannot start any token"),
            ("a: @x", "found character that cannot start any token"),
            ("a: *x", "unknown anchor 'x' referenced"),
            ("a: &", "did not find expected alphabetic or numeric character"),
            ("key: value\nother", "line 2: could not find expected ':'"),
            ("a: \"\\q\"", "found unknown escape character"),
            ("'a': 'b' c", "did not find expected key"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error, format!("yaml: {expected}"), "{text:?}");
        }
    }
}
