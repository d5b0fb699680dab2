//! The documentation page of the tags.

use std::fmt::Write as _;

use crate::format::Format;
use crate::table::{Arguments, PayloadKind, Scope, TAGS, TagInfo};

const HEAD: &str = "\
# Validation tags

Generated from the table of tags; a test compares the two.

A tag is written inside `#[k8s(validate(…))]`, on a field or on a struct:

```rust
#[k8s(validate(beta(since: \"1.37\") = required, maxLength = 63))]
pub name: String,
```

Tags of one field run in the order of their names, wherever they stand. A tag that stops hides what
would run after it when it fails. What did not change in an update is not looked at again.

| tag | level | on | stops | asks for | error, detail, origin |
| --- | --- | --- | --- | --- | --- |
";

/// The page, as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = HEAD.to_owned();
    for info in TAGS {
        // Writing into a String cannot fail.
        let _written = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} |",
            usage(info),
            info.stability,
            scopes(info.scopes),
            if info.short_circuits { "yes" } else { "" },
            info.meaning,
            info.error,
        );
    }
    page.push_str("\n## Formats\n\n| format | the text is |\n| --- | --- |\n");
    for format in Format::ALL {
        let _written = writeln!(page, "| `{}` | {} |", format.name(), format.meaning());
    }
    page
}

fn usage(info: &TagInfo) -> String {
    let arguments = match info.arguments {
        Arguments::None => String::new(),
        Arguments::One => "(\"…\")".to_owned(),
        Arguments::Keys => "(key: …)".to_owned(),
        Arguments::OneOrNamed(names) | Arguments::Named(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("{name}: \"…\"")).collect();
            format!("({})", names.join(", "))
        }
    };
    let payload = match info.payload {
        PayloadKind::None => "",
        PayloadKind::Int => " = N",
        PayloadKind::Text => " = \"…\"",
        PayloadKind::Any => " = V",
        PayloadKind::Tag => " = tag",
    };
    format!("{}{arguments}{payload}", info.name)
}

fn scopes(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.plural()).collect::<Vec<_>>().join(", ")
}
