use serde_json::{Value, json};
use validation::field::ErrorList;

use super::*;

/// A definition, with what the server fills in.
fn definition(spec: &Value) -> Value {
    let mut definition = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}],
            "conversion": {"strategy": "None"},
        },
        "status": {"storedVersions": ["v1"]},
    });
    for (member, value) in spec.as_object().unwrap() {
        definition["spec"][member] = value.clone();
    }
    definition
}

fn texts(definition: &Value) -> Vec<String> {
    let mut errors = ErrorList::default();
    validate_create(definition, &mut errors);
    errors.iter().map(ToString::to_string).collect()
}

/// What is wrong with a definition whose schema has this spec.
fn of_spec(spec: &Value) -> Vec<String> {
    of_schema(&json!({"type": "object", "properties": {"spec": spec}}))
}

fn of_schema(schema: &Value) -> Vec<String> {
    let mut definition = definition(&json!({}));
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema.clone();
    texts(&definition)
}

const ROOT: &str = "spec.validation.openAPIV3Schema";

#[test]
fn a_plain_definition_is_right() {
    assert_eq!(texts(&definition(&json!({}))), Vec::<String>::new());
}

#[test]
fn recorded_refusals() {
    let spec = json!({"type": "object", "properties": {"size": {"minimum": 1}}});
    assert_eq!(
        of_spec(&spec),
        [format!(
            "{ROOT}.properties[spec].properties[size].type: Required value: must not be empty for specified object fields"
        )]
    );
    let spec = json!({"type": "object", "properties": {
        "color": {"type": "string", "enum": ["red", "blue"], "default": "green"}}});
    assert_eq!(
        of_spec(&spec),
        [format!(
            "{ROOT}.properties[spec].properties[color].default: Unsupported value: \"green\": supported values: \"red\", \"blue\""
        )]
    );
    assert_eq!(
        texts(&definition(&json!({"scope": "Galaxy"}))),
        [
            "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\""
        ]
    );
    let mut wrong = definition(&json!({}));
    wrong["metadata"]["name"] = json!("wrong.example.com");
    assert_eq!(
        texts(&wrong),
        [
            "metadata.name: Invalid value: \"wrong.example.com\": must be spec.names.plural+\".\"+spec.group"
        ]
    );
    let mut wrong = definition(&json!({}));
    wrong["spec"]["versions"][0]["storage"] = json!(false);
    wrong["status"] = json!({"storedVersions": []});
    assert_eq!(
        texts(&wrong),
        [
            "spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly one version marked as storage version",
            "status.storedVersions: Invalid value: null: must have at least one stored version",
        ]
    );
    let mut wrong = definition(&json!({}));
    wrong["spec"]["versions"][0]["schema"] = json!(null);
    assert_eq!(texts(&wrong), ["spec.versions[0].schema.openAPIV3Schema: Required value"]);
    let mut wrong = definition(&json!({"group": "k8s.io"}));
    wrong["metadata"]["name"] = json!("widgets.k8s.io");
    assert_eq!(
        texts(&wrong),
        [
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"
        ]
    );
}

#[test]
fn names_are_labels_that_start_with_a_letter() {
    let names =
        json!({"kind": "1Widget", "listKind": "1Widget", "plural": "widgets", "singular": "a.b"});
    let texts = texts(&definition(&json!({"names": names})));
    assert!(texts[0].starts_with("spec.names.singular: Invalid value: \"a.b\": a DNS-1035 label"));
    assert!(texts[1].contains("may have mixed case, but should otherwise match: a DNS-1035"));
    assert!(texts[3].ends_with("kind and listKind may not be the same"), "{texts:?}");
}

#[test]
fn the_group_and_once_established_the_kind_stay() {
    let mut old = definition(&json!({}));
    old["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
    let names = json!({"kind": "Gadget", "listKind": "GadgetList", "plural": "widgets", "singular": "widget"});
    let new = definition(&json!({"names": names, "scope": "Cluster"}));
    let mut errors = ErrorList::default();
    validate_update(&new, &old, &mut errors);
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(fields, ["spec.scope", "spec.names.kind"]);
}

#[test]
fn every_value_has_a_type_and_alternatives_only_narrow() {
    let found = of_spec(&json!({"type": "object", "properties": {
        "a": {},
        "b": {"type": "array"},
        "c": {"type": "array", "items": {}},
        "d": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "e": {"type": "text"},
        "f": {"type": "string", "anyOf": [{"type": "string", "default": "x"}], "pattern": "("},
    }}));
    let of = |path: &str| format!("{ROOT}.properties[spec].properties{path}");
    assert_eq!(
        found,
        [
            of("[a].type: Required value: must not be empty for specified object fields"),
            of("[b].items: Required value: must be specified"),
            of("[c].items.type: Required value: must not be empty for specified array items"),
            of("[f].anyOf[0].default: Forbidden: must be undefined to be structural"),
            of("[f].anyOf[0].type: Forbidden: must be empty to be structural"),
            of(
                "[f].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`"
            ),
            of(
                "[e].type: Unsupported value: \"text\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\""
            ),
        ]
    );
}

#[test]
fn the_root_is_an_object_whose_metadata_is_left_alone() {
    let found = of_schema(&json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(
        found,
        [format!("{ROOT}.additionalProperties: Forbidden: must not be used at the root")]
    );
    let found = of_schema(&json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}}));
    assert_eq!(
        found,
        [format!(
            "{ROOT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified"
        )]
    );
    let found = of_schema(&json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}}}}));
    assert_eq!(found, Vec::<String>::new());
    let found =
        of_schema(&json!({"type": "object", "allOf": [{"properties": {"x": {"minimum": 1}}}]}));
    assert_eq!(
        found,
        [format!(
            "{ROOT}.properties[x]: Required value: because it is defined in {ROOT}.allOf[0].properties[x]"
        )]
    );
}

#[test]
fn what_is_not_supported_is_named() {
    let found = of_spec(&json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "b": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "string"}},
        "c": {"type": "object", "$ref": "#/x", "definitions": {"x": {"type": "string"}}},
        "d": {"type": "string", "x-kubernetes-list-type": "bag"},
        "e": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object", "nullable": true, "properties": {"k": {"type": "string"}}}, "x-kubernetes-list-map-keys": ["k", "z"]},
    }}));
    let of = |path: &str| format!("{ROOT}.properties[spec].properties{path}");
    assert_eq!(
        found,
        [
            of(
                "[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            ),
            of(
                "[b].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
            ),
            of("[c].definitions: Forbidden: definitions is not supported"),
            of("[c].$ref: Forbidden: $ref is not supported"),
            of(
                "[d].type: Invalid value: \"string\": must be array if x-kubernetes-list-type is specified"
            ),
            of(
                "[d].x-kubernetes-list-type: Unsupported value: \"bag\": supported values: \"atomic\", \"set\", \"map\""
            ),
            of(
                "[e].x-kubernetes-list-map-keys: Invalid value: [\"k\",\"z\"]: entries must all be names of item properties"
            ),
            of(
                "[e].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map"
            ),
            of(
                "[e].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            ),
        ]
    );
}

#[test]
fn defaults_are_known_in_full_and_allowed() {
    let found = of_spec(&json!({"type": "object", "properties": {
        "a": {"type": "object", "default": {"x": 1}},
        "b": {"type": "object", "default": {"y": "no"}, "properties": {"y": {"type": "integer"}}},
    }}));
    let of = |path: &str| format!("{ROOT}.properties[spec].properties{path}");
    assert_eq!(
        found,
        [
            of("[a].default: Invalid value: {\"x\":1}: must not have unknown fields"),
            of(
                "[b].default.y: Invalid value: \"string\": y in body must be of type integer: \"string\""
            ),
        ]
    );
    let found = of_schema(
        &json!({"type": "object", "properties": {"kind": {"type": "string", "default": "X"}}}),
    );
    assert_eq!(
        found,
        [format!("{ROOT}.properties[kind].default: Forbidden: must not be set in top-level kind")]
    );
}

#[test]
fn columns_paths_and_selectable_fields_are_checked() {
    let mut wrong = definition(&json!({}));
    let version = &mut wrong["spec"]["versions"][0];
    version["additionalPrinterColumns"] =
        json!([{"name": "", "type": "text", "jsonPath": "x", "format": "y"}]);
    version["subresources"] =
        json!({"scale": {"specReplicasPath": ".status.n", "statusReplicasPath": ""}});
    version["selectableFields"] =
        json!([{"jsonPath": ".spec.z"}, {"jsonPath": ".metadata.name"}, {"jsonPath": ".spec"}]);
    version["schema"]["openAPIV3Schema"] = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
        "spec": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    assert_eq!(
        texts(&wrong),
        [
            "spec.subresources.scale.specReplicasPath: Invalid value: \".status.n\": should be a json path under .spec",
            "spec.subresources.scale.statusReplicasPath: Required value",
            "spec.additionalPrinterColumns[0].name: Required value",
            "spec.additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of boolean,date,integer,number,string",
            "spec.additionalPrinterColumns[0].format: Invalid value: \"y\": must be one of byte,date,date-time,double,float,int32,int64,password",
            "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"x\": must be a simple json path starting with .",
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.z\": is an invalid path: does not refer to a valid field",
            "spec.selectableFields[1].jsonPath: Invalid value: \".metadata.name\": must not point to fields in metadata",
            "spec.selectableFields[2].jsonPath: Invalid value: \".spec\": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ]
    );
}

#[test]
fn versions_that_differ_are_named_one_by_one() {
    let versions = json!([
        {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {}},
            "deprecationWarning": "x"},
    ]);
    assert_eq!(
        texts(&definition(&json!({"versions": versions}))),
        [
            "spec.versions[1].deprecationWarning: Invalid value: \"x\": can only be set for deprecated versions",
            "spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root",
        ]
    );
}

#[test]
fn conversions_say_whom_to_ask() {
    let found = texts(&definition(&json!({"conversion": {"strategy": "Webhook", "webhook": {
        "clientConfig": {"url": "http://example.com"}, "conversionReviewVersions": ["v2"]}}})));
    assert_eq!(
        found,
        [
            "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
            "spec.conversion.conversionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
        ]
    );
}

#[test]
fn definitions_are_read_into_a_form_to_work_with() {
    let mut value = definition(&json!({}));
    let version = &mut value["spec"]["versions"][0];
    version["deprecated"] = json!(true);
    version["subresources"] = json!({"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}});
    version["additionalPrinterColumns"] = json!([
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
        {"name": "When", "type": "date", "jsonPath": ".spec.when"},
    ]);
    version["selectableFields"] = json!([{"jsonPath": ".spec.color"}]);
    let parsed = Definition::parse(&value).unwrap();
    let version = parsed.storage_version().unwrap();
    assert_eq!(version.deprecation_warning.as_deref(), Some("example.com/v1 Widget is deprecated"));
    assert!(version.status && parsed.namespaced && parsed.conversion == Conversion::None);
    let object = json!({"spec": {"size": 3.0, "when": "2024-01-01T00:00:00Z", "color": "red"}});
    assert_eq!(version.columns[0].cell(&object), Cell::Value(json!(3)));
    let when = Timestamp::from_unix_seconds(1_704_067_200).unwrap();
    assert_eq!(version.columns[1].cell(&object), Cell::Since(when));
    assert_eq!(version.columns[1].cell(&json!({})), Cell::Value(json!(null)));
    let field = &version.selectable_fields[0];
    assert_eq!(
        (field.selector(), field.selected(&object)),
        ("spec.color".to_owned(), "red".to_owned())
    );
    let mut scaled = json!({});
    assert!(version.scale.as_ref().unwrap().spec_replicas.set(&mut scaled, json!(2)));
    assert_eq!(scaled, json!({"spec": {"n": 2}}));
    assert!(!version.scale.as_ref().unwrap().spec_replicas.set(&mut json!({"spec": 1}), json!(2)));
}

#[test]
fn rules_that_do_not_compile_are_refused() {
    let spec = |rules: Value| {
        json!({"type": "object", "x-kubernetes-validations": rules,
        "properties": {"a": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}}}})
    };
    let path = format!("{ROOT}.properties[spec].x-kubernetes-validations[0]");
    let shown = |rule: &str| {
        format!(
            "{{\"Rule\":\"{rule}\",\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}}"
        )
    };
    assert_eq!(
        of_spec(&spec(json!([{"rule": "self.z"}]))),
        [format!(
            "{path}.rule: Invalid value: {}: compilation failed: ERROR: <input>:1:5: undefined field 'z'\n | self.z\n | ....^",
            shown("self.z")
        )]
    );
    assert_eq!(
        of_spec(&spec(json!([{"rule": "self.a"}]))),
        [format!(
            "{path}.rule: Invalid value: {}: cel expression must evaluate to a bool",
            shown("self.a")
        )]
    );
    assert_eq!(
        of_spec(&spec(json!([{"rule": " "}]))),
        [format!("{path}.rule: Required value: rule is not specified")]
    );
    assert!(of_spec(&spec(json!([{"rule": "self.a ="}])))[0].contains("Syntax error"));
    assert_eq!(
        of_spec(&spec(
            json!([{"rule": "self.a > 0", "fieldPath": ".z", "reason": "No", "messageExpression": "1"}])
        )),
        [
            format!(
                "{path}.reason: Unsupported value: \"No\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\""
            ),
            format!("{path}.fieldPath: Invalid value: \".z\": must be a valid path"),
        ]
    );
    let found = of_spec(&spec(json!([{"rule": "self.list.all(a, self.list.all(b, a == b))"}])));
    assert_eq!(
        found,
        [
            format!(
                "{path}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
            ),
            format!(
                "{path}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
            ),
            format!(
                "{ROOT}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
            ),
        ]
    );
    let items = json!({"type": "object", "properties": {"list": {"type": "array", "items": {"type": "string",
        "maxLength": 5, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, "maxItems": 5}}});
    assert_eq!(
        of_spec(&items),
        [format!(
            "{ROOT}.properties[spec].properties[list].items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within {ROOT}.properties[spec].properties[list]"
        )]
    );
}
