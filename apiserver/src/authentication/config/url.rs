//! What may stand where a URL of an issuer is wanted.

use validation::text::go_quote;

/// What is wrong with a URL, in the reference's words; nothing if it can be used.
pub(super) fn problems(url: &str) -> Vec<String> {
    if url.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        let quoted = go_quote(url);
        return vec![format!("parse {quoted}: net/url: invalid control character in URL")];
    }
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = match rest.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None if rest.starts_with(':') => {
            return vec![format!("parse {}: missing protocol scheme", go_quote(url))];
        }
        None => ("", rest),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let checks = [
        (!scheme.eq_ignore_ascii_case("https"), "URL scheme must be https"),
        (
            !scheme.is_empty() && authority.contains('@'),
            "URL must not contain a username or password",
        ),
        (!query.is_empty(), "URL must not contain a query"),
        (!fragment.is_empty(), "URL must not contain a fragment"),
    ];
    checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, text)| text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_https_urls_can_be_used() {
        assert!(problems("https://issuer.example.com:8443/path").is_empty());
        for (url, expected) in [
            ("http://x", "URL scheme must be https"),
            ("issuer", "URL scheme must be https"),
            ("https://u:p@x", "URL must not contain a username or password"),
            ("https://x?a=b", "URL must not contain a query"),
            ("https://x#y", "URL must not contain a fragment"),
            (":x", "parse \":x\": missing protocol scheme"),
            (
                "https://x\u{7f}",
                "parse \"https://x\\x7f\": net/url: invalid control character in URL",
            ),
        ] {
            assert_eq!(problems(url), [expected], "{url}");
        }
    }
}
