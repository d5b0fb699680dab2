//! The tokens of label selectors.

/// A token and, for identifiers, its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Identifier(&'a str),
    In,
    NotIn,
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    GreaterThan,
    LessThan,
    Comma,
    Open,
    Close,
    End,
}

impl<'a> Token<'a> {
    /// The text it was read from.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Identifier(text) => text,
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::GreaterThan => ">",
            Self::LessThan => "<",
            Self::Comma => ",",
            Self::Open => "(",
            Self::Close => ")",
            Self::End => "",
        }
    }

    /// Where a key or a value is expected, `in` and `notin` are names like any other.
    pub(super) fn as_name(self) -> Self {
        match self {
            Self::In | Self::NotIn => Self::Identifier(self.text()),
            other => other,
        }
    }
}

/// Splits a selector into tokens; the last one is always [`Token::End`].
pub(super) fn tokens(selector: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = selector.trim_start_matches(is_space);
    while let Some(first) = rest.chars().next() {
        let (token, length) = if is_symbol(first) { symbol(rest) } else { identifier(rest) };
        tokens.push(token);
        rest = rest[length..].trim_start_matches(is_space);
    }
    tokens.push(Token::End);
    tokens
}

fn symbol(text: &str) -> (Token<'_>, usize) {
    let two = [("==", Token::DoubleEquals), ("!=", Token::NotEquals)];
    if let Some((symbol, token)) = two.iter().find(|(symbol, _)| text.starts_with(symbol)) {
        return (*token, symbol.len());
    }
    let token = match text.as_bytes()[0] {
        b'=' => Token::Equals,
        b'!' => Token::Not,
        b'<' => Token::LessThan,
        b'>' => Token::GreaterThan,
        b',' => Token::Comma,
        b'(' => Token::Open,
        _ => Token::Close,
    };
    (token, 1)
}

fn identifier(text: &str) -> (Token<'_>, usize) {
    let end = text.find(|c| is_symbol(c) || is_space(c)).unwrap_or(text.len());
    let token = match &text[..end] {
        "in" => Token::In,
        "notin" => Token::NotIn,
        name => Token::Identifier(name),
    };
    (token, end)
}

fn is_symbol(character: char) -> bool {
    matches!(character, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}
