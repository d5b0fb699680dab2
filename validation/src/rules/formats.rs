//! Formats as rules report them (spec: validation 14).

use validation_tags::Format;

use crate::field::{Error, Shown, Trail};
use crate::format::{self, Unit};

const SUBDOMAIN_BYTES_MAX: usize = 253;
const DOMAIN_BYTES_MAX: usize = 63;
const IDENTIFIER_BYTES_MAX: usize = 32;

/// The errors of a text; `shown` is the value as the field's type shows it.
pub(super) fn check(
    format: Format,
    text: &str,
    path: &Trail<'_>,
    shown: &dyn Fn() -> Shown,
) -> Vec<Error> {
    let invalid = |messages: Vec<String>| -> Vec<Error> {
        messages.into_iter().map(|message| Error::invalid(path, shown(), message)).collect()
    };
    // Some formats look at parts of the text, and show text as such whatever the field's type is.
    let plain = |messages: Vec<String>| -> Vec<Error> {
        messages.into_iter().map(|message| Error::invalid(path, text, message)).collect()
    };
    let errors = match format {
        Format::ShortName => invalid(format::dns_label(text, Unit::Bytes)),
        Format::LongName => invalid(format::dns_subdomain(text, Unit::Bytes)),
        Format::LongNameCaseless => invalid(format::dns_subdomain_caseless(text)),
        Format::LabelKey => invalid(format::qualified_name(text)),
        Format::PrefixedLabelKey => invalid(format::prefixed_qualified_name(text)),
        Format::LabelValue => invalid(format::label_value(text)),
        Format::PathSegmentName => invalid(format::path_segment(text)),
        Format::Uuid => plain(format::uuid(text)),
        Format::ExtendedResourceName => plain(format::extended_resource_name(text)),
        Format::ResourcePoolName => check_pool_name(text, path),
        Format::ResourceFullyQualifiedName => check_full_name(text, path),
    };
    errors.into_iter().map(|error| error.with_origin(format.origin())).collect()
}

fn check_pool_name(text: &str, path: &Trail<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    if text.len() > SUBDOMAIN_BYTES_MAX {
        errors.push(Error::too_long(path, SUBDOMAIN_BYTES_MAX));
    }
    for (index, part) in text.split('/').enumerate() {
        if part.is_empty() {
            let detail = format!("segment {index}: must not be empty");
            errors.push(Error::invalid(path, text, detail));
            continue;
        }
        let messages = format::dns_subdomain(part, Unit::Bytes).into_iter();
        errors.extend(
            messages
                .map(|message| Error::invalid(path, part, format!("segment {index}: {message}"))),
        );
    }
    errors
}

fn check_full_name(text: &str, path: &Trail<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    match text.split('/').collect::<Vec<_>>()[..] {
        [name] => {
            errors.extend(check_identifier(name, path));
            let detail = "a fully qualified name must be a domain and a name separated by a slash";
            errors.push(Error::invalid(path, name, detail));
        }
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push(Error::invalid(path, "", "prefix must not be empty"));
            } else {
                errors.extend(check_domain(prefix, path));
            }
            if name.is_empty() {
                errors.push(Error::invalid(path, "", "name must not be empty"));
            } else {
                errors.extend(check_identifier(name, path));
            }
        }
        // The reference takes any text with more slashes.
        _ => {}
    }
    errors
}

fn check_domain(prefix: &str, path: &Trail<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    if prefix.len() > DOMAIN_BYTES_MAX {
        errors.push(Error::too_long(path, DOMAIN_BYTES_MAX));
    }
    let messages = format::dns_subdomain(prefix, Unit::Bytes).into_iter();
    errors
        .extend(messages.map(|message| Error::invalid(path, prefix, format!("prefix: {message}"))));
    errors
}

fn check_identifier(name: &str, path: &Trail<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    if name.len() > IDENTIFIER_BYTES_MAX {
        errors.push(Error::too_long(path, IDENTIFIER_BYTES_MAX));
    }
    let messages = format::c_identifier(name).into_iter();
    errors.extend(messages.map(|message| Error::invalid(path, name, message)));
    errors
}
