//! Reading a tag from text, as it stands in comments of the reference's types.

use std::str::FromStr;

use crate::syntax::{Argument, Literal, ParseError, Payload, Tag};

impl FromStr for Tag {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut reader = Reader { rest: text.trim() };
        let tag = reader.tag()?;
        match reader.rest {
            "" => Ok(tag),
            rest => Err(ParseError::Trailing(rest.to_owned())),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn tag(&mut self) -> Result<Tag, ParseError> {
        if !self.skip("+") {
            return Err(ParseError::Prefix);
        }
        let prefix = self.word();
        if prefix.is_empty() || !self.skip(":") {
            return Err(ParseError::Prefix);
        }
        let name = self.word();
        if name.is_empty() {
            return Err(ParseError::Name);
        }
        let name = if prefix == "k8s" { name } else { format!("{prefix}:{name}") };
        let arguments = if self.skip("(") { self.arguments()? } else { Vec::new() };
        let payload = if self.skip("=") { self.payload()? } else { Payload::None };
        Ok(Tag { name, arguments, payload })
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, ParseError> {
        let mut arguments = Vec::new();
        loop {
            self.space();
            if self.skip(")") {
                return Ok(arguments);
            }
            let first = self.literal()?;
            self.space();
            let argument = match first {
                Literal::Text(name) if self.skip(":") => {
                    self.space();
                    Argument { name: Some(name), value: self.literal()? }
                }
                value => Argument { name: None, value },
            };
            arguments.push(argument);
            self.space();
            if !self.skip(",") && !self.rest.starts_with(')') {
                return Err(ParseError::NotClosed('('));
            }
        }
    }

    fn payload(&mut self) -> Result<Payload, ParseError> {
        if self.rest.starts_with('+') {
            return Ok(Payload::Tag(Box::new(self.tag()?)));
        }
        if self.rest.is_empty() {
            return Ok(Payload::None);
        }
        Ok(Payload::Literal(self.literal()?))
    }

    fn literal(&mut self) -> Result<Literal, ParseError> {
        if self.skip("\"") {
            return self.quoted().map(Literal::Text);
        }
        let end = self.rest.find([',', ')', ':', ' ', '=']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(ParseError::Trailing(self.rest.to_owned()));
        }
        self.rest = rest;
        let digits = word.strip_prefix('-').unwrap_or(word);
        Ok(match word {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            _ if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Literal::Int(word.to_owned())
            }
            _ => Literal::Text(word.to_owned()),
        })
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        Err(ParseError::NotClosed('"'))
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn skip(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_reads_back_as_it_is_written() {
        for text in [
            "+k8s:required",
            "+k8s:minimum=-5",
            "+k8s:neq=\"a\\\"b\"",
            "+k8s:item(type: \"A\", n: 3, b: true)=+k8s:subfield(\"msg\")=+k8s:maxLength=3",
            "+k8s:beta(since: \"1.37\")=+k8s:ifMode(\"Queue\")=+k8s:required",
            "+k8s:eachVal=+example:multipleOf(offset: 1)=3",
        ] {
            assert_eq!(text.parse::<Tag>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn words_need_no_quotation_marks() {
        let tag: Tag = "+k8s:ifEnabled(X)=+k8s:format=k8s-uuid".parse().unwrap();
        assert_eq!(tag.to_string(), "+k8s:ifEnabled(\"X\")=+k8s:format=\"k8s-uuid\"");
        assert_eq!(tag.chain().count(), 2);
    }

    #[test]
    fn what_is_no_tag_is_refused() {
        for (text, error) in [
            ("required", ParseError::Prefix),
            ("+required", ParseError::Prefix),
            ("+k8s:", ParseError::Name),
            ("+k8s:neq=\"a", ParseError::NotClosed('"')),
            ("+k8s:ifEnabled(X", ParseError::NotClosed('(')),
            ("+k8s:minimum=1 2", ParseError::Trailing(" 2".to_owned())),
        ] {
            assert_eq!(text.parse::<Tag>(), Err(error), "{text}");
        }
    }
}
