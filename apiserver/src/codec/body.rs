//! From a request's body to an object in canonical form (spec: apimachinery 2.2, 2.3).

use api::decode::{Decoded, Tree, decode, parse_json};
use api::schema::TypeDef;
use api::status::Status;
use serde_json::Value;
use validation::text::go_quote as quote;

use super::yaml::{self, RepeatedKeys};
use super::{MediaType, protobuf};
use crate::resources::{GroupVersionKind, Kinds, Resource};

/// How many bytes of a body an error quotes.
const SUMMARY_BYTES: usize = 30;

/// What is to be done about unknown and duplicate fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValidation {
    /// Nothing.
    Ignore,
    /// A warning for each.
    Warn,
    /// The request fails.
    Strict,
}

/// A body that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// The object, in canonical form; defaults are not yet filled in.
    pub object: Value,
    /// Texts for `Warning` headers.
    pub warnings: Vec<String>,
}

/// What bodies are read as.
pub trait ReadAs {
    /// The kind.
    fn kind(&self) -> &GroupVersionKind;

    /// Whether the kind is a Rust or recorded type. Bodies of others must say what they are, and
    /// are taken at their word until they are validated.
    fn is_typed(&self) -> bool;

    /// Reads a document.
    ///
    /// # Errors
    ///
    /// What has the wrong type, in words.
    fn decode(&self, tree: Tree) -> Result<Decoded, String>;
}

impl ReadAs for Resource {
    fn kind(&self) -> &GroupVersionKind {
        &self.kind
    }

    fn is_typed(&self) -> bool {
        self.is_typed()
    }

    fn decode(&self, tree: Tree) -> Result<Decoded, String> {
        self.decode(tree)
    }
}

/// A kind that no resource is of, such as Scale.
pub struct Typed<'a> {
    /// The kind.
    pub kind: &'a GroupVersionKind,
    /// Its type.
    pub type_def: &'a TypeDef,
}

impl ReadAs for Typed<'_> {
    fn kind(&self) -> &GroupVersionKind {
        self.kind
    }

    fn is_typed(&self) -> bool {
        true
    }

    fn decode(&self, tree: Tree) -> Result<Decoded, String> {
        decode(self.type_def, tree).map_err(|mismatch| mismatch.to_string())
    }
}

/// Reads a body as an object of the kind that the route takes.
///
/// # Errors
///
/// 400 in the reference's form.
pub fn read(
    text: &[u8],
    media_type: MediaType,
    read_as: &dyn ReadAs,
    kinds: &dyn Kinds,
    field_validation: FieldValidation,
) -> Result<Body, Status> {
    let kind = read_as.kind();
    if !read_as.is_typed() && media_type == MediaType::Protobuf {
        return Err(cannot_be_handled(kind, kind, NOT_MARSHALABLE));
    }
    let Parsed { tree, repeated_keys } =
        parse_strictly(text, media_type).map_err(|why| unrecognized(kind, &why, text))?;
    let found = found_kind(&tree, kind).map_err(|why| unrecognized(kind, &why, text))?;
    let names_kind = tree.text_member("kind").is_some_and(|kind| !kind.is_empty());
    let refuse = |why: &str| {
        if names_kind {
            cannot_be_handled(&found, kind, why)
        } else {
            unrecognized(kind, why, text)
        }
    };
    let checked = if read_as.is_typed() {
        check_kind(&found, kind, kinds)
    } else {
        check_type_meta(&tree, text)
    };
    checked.map_err(|error| match error {
        WrongKind::Refused(why) => refuse(&why),
        WrongKind::OtherVersion(message) => Status::bad_request(message),
    })?;
    let Decoded { mut value, problems } =
        read_as.decode(tree.clone()).map_err(|why| refuse(&why))?;
    let warnings = match field_validation {
        FieldValidation::Ignore => Vec::new(),
        FieldValidation::Warn => [repeated_keys.lines, problems].concat(),
        FieldValidation::Strict => {
            let problems: Vec<String> =
                repeated_keys.message().into_iter().chain(problems).collect();
            if !problems.is_empty() {
                return Err(refuse(&format!("strict decoding error: {}", problems.join(", "))));
            }
            problems
        }
    };
    if read_as.is_typed() {
        set_type_meta(&mut value, kind);
    } else if (&found.group, &found.version) != (&kind.group, &kind.version) {
        return Err(Status::bad_request(other_version(&found, kind)));
    }
    Ok(Body { object: value, warnings })
}

/// Why documents without a type are neither read nor written in protobuf.
pub const NOT_MARSHALABLE: &str = "object *unstructured.Unstructured does not implement the \
    protobuf marshalling interface and cannot be encoded to a protobuf message";

fn cannot_be_handled(found: &GroupVersionKind, kind: &GroupVersionKind, why: &str) -> Status {
    Status::bad_request(format!(
        "{} in version {} cannot be handled as a {}: {why}",
        found.kind,
        quote(&found.version),
        kind.kind
    ))
}

/// A document must say what it is.
fn check_type_meta(tree: &Tree, text: &[u8]) -> Result<(), WrongKind> {
    for (member, name) in [("kind", "Kind"), ("apiVersion", "apiVersion")] {
        if tree.text_member(member).is_none_or(str::is_empty) {
            let text = String::from_utf8_lossy(text);
            return Err(WrongKind::Refused(format!("Object '{name}' is missing in '{text}'")));
        }
    }
    Ok(())
}

/// Parses a body without looking at what it means.
///
/// # Errors
///
/// The reference's text for bodies that do not parse.
pub fn parse(text: &[u8], media_type: MediaType) -> Result<Tree, String> {
    parse_strictly(text, media_type).map(|parsed| parsed.tree)
}

/// A body that was parsed, and what the parser alone knows to be wrong with it. Members that stand
/// twice in JSON are still there in the tree.
struct Parsed {
    tree: Tree,
    repeated_keys: RepeatedKeys,
}

fn parse_strictly(text: &[u8], media_type: MediaType) -> Result<Parsed, String> {
    let tree = match media_type {
        MediaType::Json => parse_json(text)
            .map_err(|error| format!("couldn't get version/kind; json parse error: {error}"))?,
        MediaType::Yaml => {
            let yaml::Document { tree, repeated_keys } = yaml::read(text)?;
            return Ok(Parsed { tree, repeated_keys });
        }
        MediaType::Protobuf => {
            let (_kind, object) = protobuf::known::read(text).map_err(|error| error.to_string())?;
            parse_json(object.to_string().as_bytes()).map_err(|error| error.to_string())?
        }
    };
    Ok(Parsed { tree, repeated_keys: RepeatedKeys::default() })
}

/// Writes `kind` and `apiVersion` in front of an object.
pub fn set_type_meta(object: &mut Value, kind: &GroupVersionKind) {
    if let Value::Object(members) = object {
        members.shift_remove("kind");
        members.shift_remove("apiVersion");
        members.shift_insert(0, "kind".to_owned(), kind.kind.as_str().into());
        members.shift_insert(1, "apiVersion".to_owned(), kind.group_version().into());
    }
}

/// The kind that the body names; what it leaves out is the route's.
fn found_kind(tree: &Tree, expected: &GroupVersionKind) -> Result<GroupVersionKind, String> {
    match tree {
        Tree::Object(_) | Tree::Null => {}
        other => {
            return Err(format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go \
                 value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; \
                 Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                other.kind()
            ));
        }
    }
    let text = |name: &str| match tree.member(name) {
        None | Some(Tree::Null) => Ok(""),
        Some(Tree::String(text)) => Ok(text.as_str()),
        Some(other) => Err(format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go struct \
             field .{name} of type string",
            other.kind()
        )),
    };
    let mut found = expected.clone();
    let kind = text("kind")?;
    if !kind.is_empty() {
        kind.clone_into(&mut found.kind);
    }
    let api_version = text("apiVersion")?;
    if !api_version.is_empty() {
        (found.group, found.version) = match api_version.split_once('/') {
            None => (String::new(), api_version.to_owned()),
            Some((group, version)) => (group.to_owned(), version.to_owned()),
        };
    }
    Ok(found)
}

enum WrongKind {
    Refused(String),
    OtherVersion(String),
}

fn check_kind(
    found: &GroupVersionKind,
    expected: &GroupVersionKind,
    kinds: &dyn Kinds,
) -> Result<(), WrongKind> {
    if found == expected {
        return Ok(());
    }
    if !kinds.is_known(found) {
        return Err(WrongKind::Refused(no_kind(found)));
    }
    if found.group == expected.group && found.kind == expected.kind {
        return Err(WrongKind::OtherVersion(other_version(found, expected)));
    }
    Err(WrongKind::Refused(format!(
        "converting ({}.{}) to ({}.{}): unknown conversion",
        found.version,
        found.kind,
        expected.internal_package(),
        expected.kind
    )))
}

fn other_version(found: &GroupVersionKind, expected: &GroupVersionKind) -> String {
    format!(
        "the API version in the data ({}) does not match the expected API version ({})",
        found.group_version(),
        expected.group_version()
    )
}

/// The error for a kind that nobody registered.
#[must_use]
pub fn no_kind(kind: &GroupVersionKind) -> String {
    format!(
        "no kind {} is registered for version {} in scheme \"apiserver\"",
        quote(&kind.kind),
        quote(&kind.group_version())
    )
}

fn unrecognized(kind: &GroupVersionKind, why: &str, text: &[u8]) -> Status {
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): {why} ({})",
        kind.kind,
        summary(text)
    ))
}

/// The start of a body: as text if it looks like JSON, else in hexadecimal digits.
fn summary(text: &[u8]) -> String {
    let Some(first) = text.first() else { return "<empty>".to_owned() };
    let cut = &text[..text.len().min(SUMMARY_BYTES)];
    let shown = if *first == b'{' {
        String::from_utf8_lossy(cut).into_owned()
    } else {
        cut.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    if text.len() > SUMMARY_BYTES { format!("{shown} ...") } else { shown }
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;

    use super::*;

    struct OnlyFlowSchemas;

    impl Kinds for OnlyFlowSchemas {
        fn is_known(&self, kind: &GroupVersionKind) -> bool {
            kind.group == api::flowcontrol::GROUP
                && (kind.kind == "FlowSchema" || kind.kind == "PriorityLevelConfiguration")
        }
    }

    fn read_flow_schema(text: &str, validation: FieldValidation) -> Result<Body, String> {
        let kind = GroupVersionKind::new(api::flowcontrol::GROUP, "v1", "FlowSchema");
        let type_def = FlowSchema::type_def().unwrap();
        let read_as = Typed { kind: &kind, type_def };
        read(text.as_bytes(), MediaType::Json, &read_as, &OnlyFlowSchemas, validation)
            .map_err(|status| status.message)
    }

    #[test]
    fn kind_and_version_may_be_left_out() {
        let body = read_flow_schema("{}", FieldValidation::Strict).unwrap();
        assert_eq!(body.object["kind"], "FlowSchema");
        assert_eq!(body.object["apiVersion"], "flowcontrol.apiserver.k8s.io/v1");
    }

    #[test]
    fn another_kind_is_refused() {
        assert_eq!(
            read_flow_schema(r#"{"kind":"PriorityLevelConfiguration"}"#, FieldValidation::Warn)
                .unwrap_err(),
            "PriorityLevelConfiguration in version \"v1\" cannot be handled as a FlowSchema: \
             converting (v1.PriorityLevelConfiguration) to (flowcontrol.FlowSchema): unknown \
             conversion"
        );
    }

    #[test]
    fn another_version_is_refused() {
        let text = r#"{"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3","kind":"FlowSchema"}"#;
        assert_eq!(
            read_flow_schema(text, FieldValidation::Warn).unwrap_err(),
            "the API version in the data (flowcontrol.apiserver.k8s.io/v1beta3) does not match the \
             expected API version (flowcontrol.apiserver.k8s.io/v1)"
        );
    }

    #[test]
    fn a_body_that_ends_too_early_is_quoted() {
        assert_eq!(
            read_flow_schema(r#"{"metadata":{"name":"c"}"#, FieldValidation::Warn).unwrap_err(),
            "the object provided is unrecognized (must be of type FlowSchema): couldn't get \
             version/kind; json parse error: unexpected end of JSON input \
             ({\"metadata\":{\"name\":\"c\"})"
        );
    }

    #[test]
    fn keys_that_stand_twice_in_yaml_are_told_with_their_lines_before_unknown_fields() {
        let kind = GroupVersionKind::new(api::flowcontrol::GROUP, "v1", "FlowSchema");
        let type_def = FlowSchema::type_def().unwrap();
        let text = b"kind: FlowSchema\nzz: 1\nspec:\n  foo: 1\n  rules: []\n  rules: []\nzz: 2\n";
        let read_as = Typed { kind: &kind, type_def };
        let read = |validation| read(text, MediaType::Yaml, &read_as, &OnlyFlowSchemas, validation);
        assert_eq!(
            read(FieldValidation::Warn).unwrap().warnings,
            [
                "line 6: key \"rules\" already set in map",
                "line 7: key \"zz\" already set in map",
                "unknown field \"spec.foo\"",
                "unknown field \"zz\""
            ]
        );
        assert_eq!(
            read(FieldValidation::Strict).unwrap_err().message,
            "FlowSchema in version \"v1\" cannot be handled as a FlowSchema: strict decoding \
             error: yaml: unmarshal errors:\n  line 6: key \"rules\" already set in map\n  line 7: \
             key \"zz\" already set in map, unknown field \"spec.foo\", unknown field \"zz\""
        );
        assert!(read(FieldValidation::Ignore).unwrap().warnings.is_empty());
    }

    #[test]
    fn unknown_fields_fail_strict_requests_and_warn_others() {
        let text = r#"{"kind":"FlowSchema","spec":{"foo":1}}"#;
        assert_eq!(
            read_flow_schema(text, FieldValidation::Strict).unwrap_err(),
            "FlowSchema in version \"v1\" cannot be handled as a FlowSchema: strict decoding \
             error: unknown field \"spec.foo\""
        );
        let body = read_flow_schema(text, FieldValidation::Warn).unwrap();
        assert_eq!(body.warnings, ["unknown field \"spec.foo\""]);
        assert!(read_flow_schema(text, FieldValidation::Ignore).unwrap().warnings.is_empty());
    }
}
