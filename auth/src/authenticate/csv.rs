//! Comma-separated values as Go's `encoding/csv` reads them: quotes around fields that contain
//! commas, quotes or line breaks; empty lines skipped; no comments.

/// A file that is no list of comma-separated values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// A quote in a field that does not start with one.
    #[error("line {line}: bare \" in non-quoted field")]
    BareQuote {
        /// Line of the quote, from 1.
        line: usize,
    },
    /// A quoted field goes on after its closing quote.
    #[error("line {line}: extraneous or missing \" in quoted-field")]
    QuoteInside {
        /// Line of the quote, from 1.
        line: usize,
    },
    /// A quoted field never ends.
    #[error("line {line}: quoted field is not closed")]
    Unclosed {
        /// Line of the opening quote, from 1.
        line: usize,
    },
}

/// One record, and where it starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Line of its first field, from 1.
    pub(super) line: usize,
    pub(super) fields: Vec<String>,
}

/// Reads all records.
pub(super) fn records(text: &str) -> Result<Vec<Record>, CsvError> {
    let text = text.replace("\r\n", "\n");
    let mut reader = Reader { rest: &text, line: 1 };
    let mut records = Vec::new();
    while !reader.rest.is_empty() {
        if let Some(rest) = reader.rest.strip_prefix('\n') {
            reader.rest = rest;
            reader.line += 1;
            continue;
        }
        records.push(reader.record()?);
    }
    Ok(records)
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn record(&mut self) -> Result<Record, CsvError> {
        let mut record = Record { line: self.line, fields: Vec::new() };
        loop {
            record.fields.push(self.field()?);
            let mut characters = self.rest.chars();
            let separator = characters.next();
            self.rest = characters.as_str();
            if separator != Some(',') {
                self.line += 1;
                return Ok(record);
            }
        }
    }

    fn field(&mut self) -> Result<String, CsvError> {
        if let Some(rest) = self.rest.strip_prefix('"') {
            self.rest = rest;
            return self.quoted();
        }
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        if field.contains('"') {
            return Err(CsvError::BareQuote { line: self.line });
        }
        self.rest = rest;
        Ok(field.to_owned())
    }

    /// Reads up to the closing quote; two quotes stand for one.
    fn quoted(&mut self) -> Result<String, CsvError> {
        let opened = self.line;
        let mut field = String::new();
        loop {
            let Some((before, after)) = self.rest.split_once('"') else {
                return Err(CsvError::Unclosed { line: opened });
            };
            field.push_str(before);
            self.line += before.matches('\n').count();
            self.rest = after;
            match after.chars().next() {
                None | Some(',' | '\n') => return Ok(field),
                Some('"') => {
                    field.push('"');
                    self.rest = &after[1..];
                }
                Some(_) => return Err(CsvError::QuoteInside { line: self.line }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fields(text: &str) -> Vec<Vec<String>> {
        records(text).unwrap().into_iter().map(|record| record.fields).collect()
    }

    #[test]
    fn quotes_keep_commas_quotes_and_line_breaks() {
        assert_eq!(fields("a,\"b,c\",d"), [["a", "b,c", "d"]]);
        assert_eq!(fields("\"a\"\"b\"\n"), [["a\"b"]]);
        assert_eq!(fields("\"a\r\nb\",c"), [["a\nb", "c"]]);
    }

    #[test]
    fn records_know_their_lines() {
        let records = records("a\r\n\n\"b\nb\",c\nd,\n").unwrap();
        let lines: Vec<_> = records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 3, 5]);
        assert_eq!(records[2].fields, ["d", ""]);
    }

    #[test]
    fn wrong_quotes_are_errors_with_their_lines() {
        assert_eq!(records("a\nb\"c"), Err(CsvError::BareQuote { line: 2 }));
        assert_eq!(records("a\n\"b\nb\"c"), Err(CsvError::QuoteInside { line: 3 }));
        assert_eq!(records("a\n\"b\nc"), Err(CsvError::Unclosed { line: 2 }));
    }

    proptest! {
        #[test]
        fn quoted_fields_come_back(fields in prop::collection::vec("[a-z\",\n ]{0,6}", 1..5)) {
            let quoted: Vec<_> =
                fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
            let records = records(&quoted.join(",")).unwrap();
            prop_assert_eq!(&records[0].fields, &fields);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[a\",\r\n]{0,20}") {
            let records = records(&text).unwrap_or_default();
            prop_assert!(records.len() <= text.len());
        }
    }
}
