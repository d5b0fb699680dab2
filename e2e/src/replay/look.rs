//! An answer as it is compared: normalised, and only what counts.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::names::PfNames;
use super::variables::Variables;
use crate::case::{Compare, Look};
use crate::error::Error;
use crate::http::{Head, Response};
use crate::json::{Members, ascii, pointer, select};
use crate::normalise::Symbols;
use crate::target::Target;

/// The headers that count unless a step names others.
const KEPT_HEADERS: [&str; 13] = [
    "content-type",
    "warning",
    "cache-control",
    "retry-after",
    "allow",
    "www-authenticate",
    "content-encoding",
    "vary",
    "x-content-type-options",
    "location",
    "etag",
    "x-kubernetes-pf-flowschema-uid",
    "x-kubernetes-pf-prioritylevel-uid",
];

/// Bodies are not unpacked beyond this.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;

/// What a case remembers from answer to answer.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) symbols: Symbols,
    pub(super) variables: Variables,
    pub(super) names: PfNames,
}

impl Memory {
    /// Captures what the step asks for, and returns what is compared of an answer.
    pub(super) fn answer(
        &mut self,
        target: &Target,
        look: &Look,
        response: &Response,
    ) -> Result<Value, Error> {
        let headers = self.headers(target, look, &response.head)?;
        let body = unpacked(response)?;
        let parsed = serde_json::from_slice(&body).ok().filter(|value| *value != Value::Null);
        for (name, at) in &look.capture {
            let value = parsed.as_ref().and_then(|value| pointer(value, at));
            self.variables.capture(name, value);
        }
        let status = response.head.status;
        let mut out = Map::from_iter([("status".to_owned(), status.into())]);
        if look.compare == Compare::Status {
            return Ok(out.into());
        }
        out.insert("headers".to_owned(), headers);
        let (key, value) = match (look.compare, parsed) {
            (Compare::Headers, _) => return Ok(out.into()),
            (Compare::Body, Some(parsed)) => ("json", self.json(look, parsed)),
            (_, _) => match String::from_utf8(body) {
                Ok(text) => ("text", self.trimmed(look, text).into()),
                Err(raw) if look.bytes => ("base64", STANDARD.encode(raw.as_bytes()).into()),
                Err(_) => ("base64", "<True>".into()),
            },
        };
        out.insert(key.to_owned(), value);
        Ok(out.into())
    }

    fn headers(&mut self, target: &Target, look: &Look, head: &Head) -> Result<Value, Error> {
        let mut kept = Map::new();
        let mut warnings = Vec::new();
        for (name, value) in &head.headers {
            let name = name.to_ascii_lowercase();
            if !counts(look, &name) {
                continue;
            }
            if name == "warning" {
                warnings.push(Value::from(self.symbols.text(value)));
                continue;
            }
            let value = if name.starts_with("x-kubernetes-pf-") {
                let unknown = if value.is_empty() { "" } else { "<unknown>" };
                self.names.name(target, value)?.unwrap_or(unknown).to_owned()
            } else if name == "etag" {
                "<etag>".to_owned()
            } else {
                self.symbols.text(value)
            };
            kept.insert(name, value.into());
        }
        if !warnings.is_empty() {
            kept.insert("warning".to_owned(), warnings.into());
        }
        Ok(kept.into())
    }

    fn json(&mut self, look: &Look, mut parsed: Value) -> Value {
        if let Some(pointers) = &look.select {
            parsed = select(&parsed, pointers);
        }
        if look.sort_items {
            sort_items(&mut parsed);
        }
        self.symbols.value(parsed)
    }

    fn trimmed(&mut self, look: &Look, text: String) -> String {
        let text = look.trim.replace(look.trim.grep(text));
        look.trim.sort(self.symbols.text(&text))
    }
}

fn counts(look: &Look, name: &str) -> bool {
    match &look.keep_headers {
        Some(kept) => kept.iter().any(|kept| kept == name),
        None => KEPT_HEADERS.contains(&name),
    }
}

fn unpacked(response: &Response) -> Result<Vec<u8>, Error> {
    if response.head.header("content-encoding") != Some("gzip") {
        return Ok(response.body.clone());
    }
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(response.body.as_slice())
        .take(MAX_UNPACKED_BYTES)
        .read_to_end(&mut body)
        .map_err(Error::io("unpacking a body"))?;
    Ok(body)
}

/// Sorts items by name, rows by their cells.
fn sort_items(value: &mut Value) {
    let key = |item: &Value| match &item["metadata"]["name"] {
        Value::String(name) => name.clone(),
        _ => ascii(&item["cells"], Members::Sorted),
    };
    for list in ["items", "rows"] {
        if let Some(Value::Array(items)) = value.get_mut(list)
            && !items.is_empty()
        {
            items.sort_by_cached_key(key);
            return;
        }
    }
}

/// What is compared of a watch: its head and its events.
pub(super) fn events(head: Option<&Head>, events: &[Value]) -> Value {
    let headers: Map<_, _> = head
        .into_iter()
        .flat_map(|head| &head.headers)
        .map(|(name, value)| (name.to_ascii_lowercase(), Value::from(value.as_str())))
        .filter(|(name, _)| matches!(name.as_str(), "content-type" | "cache-control" | "warning"))
        .collect();
    json!({ "status": head.map(|head| head.status), "headers": headers, "events": events })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Address;
    use crate::text::Trim;

    fn look(compare: Compare) -> Look {
        Look {
            compare,
            keep_headers: None,
            select: None,
            capture: Vec::new(),
            sort_items: false,
            trim: Trim::default(),
            bytes: false,
        }
    }

    fn response(headers: &[(&str, &str)], body: &[u8]) -> Response {
        let headers = headers.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Response { head: Head { status: 200, headers }, body: body.to_vec() }
    }

    fn seen(look: &Look, response: &Response) -> Value {
        // No header asks for a name, so nothing is sent there.
        let target = Target::new(Address::parse("http://127.0.0.1:1").unwrap(), "");
        Memory::default().answer(&target, look, response).unwrap()
    }

    #[test]
    fn only_headers_that_count_are_compared_and_warnings_are_a_list() {
        let response = response(
            &[
                ("Date", "now"),
                ("Warning", "a"),
                ("Content-Type", "x"),
                ("Warning", "b"),
                ("Etag", "1"),
            ],
            b"",
        );
        assert_eq!(
            seen(&look(Compare::Headers), &response),
            json!({"status": 200, "headers": {
                "content-type": "x", "etag": "<etag>", "warning": ["a", "b"]}})
        );
        assert_eq!(seen(&look(Compare::Status), &response), json!({"status": 200}));
    }

    #[test]
    fn json_is_compared_as_json_and_everything_else_as_text() {
        let body = br#"{"a": "2024-01-01T00:00:00Z"}"#;
        let json = seen(&look(Compare::Body), &response(&[], body));
        assert_eq!(json["json"], json!({"a": "<time>"}));
        let text = seen(&look(Compare::Text), &response(&[], body));
        assert_eq!(text["text"], r#"{"a": "<time>"}"#);
        assert_eq!(seen(&look(Compare::Body), &response(&[], b"null"))["text"], "null");
        assert_eq!(seen(&look(Compare::Body), &response(&[], b"\xff"))["base64"], "<True>");
    }

    #[test]
    fn a_selection_and_an_order_narrow_what_is_compared() {
        let mut look = look(Compare::Body);
        look.sort_items = true;
        let items = br#"{"items": [{"metadata": {"name": "b"}}, {"metadata": {"name": "a"}}]}"#;
        let sorted = seen(&look, &response(&[], items));
        assert_eq!(sorted["json"]["items"][0]["metadata"]["name"], "a");
        look.select = Some(vec!["/items/0/metadata/name".to_owned()]);
        let selected = seen(&look, &response(&[], items));
        assert_eq!(selected["json"], json!({"/items/0/metadata/name": "b"}));
    }

    #[test]
    fn a_packed_body_is_unpacked() {
        use std::io::Write as _;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"[1]").unwrap();
        let packed = response(&[("Content-Encoding", "gzip")], &packer.finish().unwrap());
        assert_eq!(seen(&look(Compare::Body), &packed)["json"], json!([1]));
    }
}
