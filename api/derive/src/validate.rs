//! Reading and checking the tags in `validate(…)` and `value_type(…)`.
//!
//! The grammar is that of the reference's comments without the plus signs and prefixes:
//! `name(argument: value) = payload`. Whether a tag may stand where it stands is decided by the
//! table of tags; what depends on other structs is checked when the rules are first used.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{GenericArgument, Ident, Lit, PathArguments, Token, Type, meta::ParseNestedMeta};
use validation_tags::model::{self, Definition, Model, NamedType, TypeId};
use validation_tags::{Argument, Literal, PackageLevel, Payload, PayloadKind, Tag, info};

/// A tag and where it stands in the source.
pub(crate) struct SpannedTag {
    pub(crate) tag: Tag,
    span: Span,
}

/// Reads the tags of `validate(…)`.
pub(crate) fn parse_tags(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<SpannedTag>> {
    let inner;
    syn::parenthesized!(inner in meta.input);
    Ok(inner.parse_terminated(SpannedTag::parse, Token![,])?.into_iter().collect())
}

/// The type name that text has of its own: its tags and constants.
pub(crate) struct ValueType {
    tags: Vec<SpannedTag>,
    constants: Vec<String>,
}

impl ValueType {
    /// Reads `value_type(tag, …, constants("A", "B"))`.
    pub(crate) fn parse(meta: &ParseNestedMeta<'_>) -> syn::Result<Self> {
        let (constants, tags): (Vec<_>, Vec<_>) =
            parse_tags(meta)?.into_iter().partition(|spanned| spanned.tag.name == "constants");
        let arguments = constants.into_iter().flat_map(|spanned| spanned.tag.arguments);
        let constants = arguments.map(|argument| match argument.value {
            Literal::Text(text) => Ok(text),
            Literal::Int(_) | Literal::Bool(_) => Err(meta.error("a constant is a text")),
        });
        Ok(Self { tags, constants: constants.collect::<syn::Result<_>>()? })
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        let Self { tags, constants } = self;
        let rules = tokens(tags);
        quote! {
            ::api::schema::ValueType {
                rules: #rules,
                constants: ::std::vec![#(::std::string::String::from(#constants)),*],
            }
        }
    }
}

impl Parse for SpannedTag {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first = input.call(Ident::parse_any)?;
        let name = match input.parse::<Option<Token![::]>>()? {
            None => first.to_string(),
            // Somebody's own tag: `example::even` is `+example:even`.
            Some(_) => format!("{first}:{}", input.call(Ident::parse_any)?),
        };
        let arguments = if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            inner.parse_terminated(parse_argument, Token![,])?.into_iter().collect()
        } else {
            Vec::new()
        };
        let payload = match input.parse::<Option<Token![=]>>()? {
            None => Payload::None,
            Some(_) => parse_payload(&name, input)?,
        };
        Ok(Self { tag: Tag { name, arguments, payload }, span: first.span() })
    }
}

fn parse_argument(input: ParseStream<'_>) -> syn::Result<Argument> {
    if input.peek(Ident::peek_any) && input.peek2(Token![:]) {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![:]>()?;
        return Ok(Argument { name: Some(name.to_string()), value: parse_literal(input)? });
    }
    Ok(Argument { name: None, value: parse_literal(input)? })
}

fn parse_payload(name: &str, input: ParseStream<'_>) -> syn::Result<Payload> {
    let is_custom = name.contains(':');
    let takes_tag = !is_custom && info(name).is_none_or(|info| info.payload == PayloadKind::Tag);
    let is_literal = input.peek(Lit) || input.peek(Token![-]);
    if takes_tag && !is_literal {
        return Ok(Payload::Tag(Box::new(SpannedTag::parse(input)?.tag)));
    }
    Ok(Payload::Literal(parse_literal(input)?))
}

fn parse_literal(input: ParseStream<'_>) -> syn::Result<Literal> {
    if let Some(minus) = input.parse::<Option<Token![-]>>()? {
        let number: syn::LitInt = input.parse()?;
        return number
            .base10_parse::<i64>()
            .map(|number| Literal::Int(format!("-{number}")))
            .map_err(|_| syn::Error::new(minus.span, "not a whole number"));
    }
    if !input.peek(Lit) {
        return Ok(Literal::Text(input.call(Ident::parse_any)?.to_string()));
    }
    match input.parse::<Lit>()? {
        Lit::Str(text) => Ok(Literal::Text(text.value())),
        Lit::Bool(value) => Ok(Literal::Bool(value.value)),
        Lit::Int(number) => Ok(Literal::Int(number.base10_digits().to_owned())),
        other => Err(syn::Error::new(other.span(), "takes a text, a whole number or a bool")),
    }
}

/// The tags as an expression of type `Vec<Tag>`.
pub(crate) fn tokens(tags: &[SpannedTag]) -> TokenStream {
    let tags = tags.iter().map(|spanned| tag_tokens(&spanned.tag));
    quote!(::std::vec![#(#tags),*])
}

fn tag_tokens(tag: &Tag) -> TokenStream {
    let name = &tag.name;
    let arguments = tag.arguments.iter().map(|argument| {
        let value = literal_tokens(&argument.value);
        let name = match &argument.name {
            Some(name) => quote!(::std::option::Option::Some(::std::string::String::from(#name))),
            None => quote!(::std::option::Option::None),
        };
        quote!(::api::schema::tag::Argument { name: #name, value: #value })
    });
    let payload = match &tag.payload {
        Payload::None => quote!(None),
        Payload::Literal(literal) => {
            let literal = literal_tokens(literal);
            quote!(Literal(#literal))
        }
        Payload::Tag(tag) => {
            let tag = tag_tokens(tag);
            quote!(Tag(::std::boxed::Box::new(#tag)))
        }
    };
    quote! {
        ::api::schema::tag::Tag {
            name: ::std::string::String::from(#name),
            arguments: ::std::vec![#(#arguments),*],
            payload: ::api::schema::tag::Payload::#payload,
        }
    }
}

fn literal_tokens(literal: &Literal) -> TokenStream {
    let literal = match literal {
        Literal::Text(text) => quote!(Text(::std::string::String::from(#text))),
        Literal::Int(digits) => quote!(Int(::std::string::String::from(#digits))),
        Literal::Bool(value) => quote!(Bool(#value)),
    };
    quote!(::api::schema::tag::Literal::#literal)
}

/// A field as far as its tags are concerned.
pub(crate) struct TaggedField<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
    pub(crate) field_type: &'a Type,
    pub(crate) tags: &'a [SpannedTag],
    pub(crate) value_type: Option<&'a ValueType>,
}

/// Refuses tags that must not stand where they stand.
pub(crate) fn check(
    openapi_name: &str,
    span: Span,
    type_tags: &[SpannedTag],
    fields: &[TaggedField<'_>],
) -> syn::Result<()> {
    let mut segments = openapi_name.rsplit('.');
    let (name, package) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
    let mut types = vec![NamedType {
        name: format!("{package}.{name}"),
        rules: plain(type_tags),
        definition: Definition::Struct(Vec::new()),
        constants: Vec::new(),
    }];
    let mut model_fields = Vec::with_capacity(fields.len());
    for field in fields {
        model_fields.push(model_field(field, &mut types));
    }
    types[0].definition = Definition::Struct(model_fields);
    let model = Model { types };
    let field_named = |name: &str| fields.iter().find(|field| field.name == name);
    // Functions are only known to the engine.
    if let Err(error) = validation_tags::check(&model, &|_| true) {
        let field = error.field.as_deref().and_then(field_named);
        let tags = field.map_or(type_tags, |field| field.tags);
        let tag_span = error.tag.and_then(|index| tags.get(index)).map(|tag| tag.span);
        let field_span = field.map(|field| field.span);
        let span = tag_span.or(field_span).unwrap_or(span);
        return Err(syn::Error::new(span, error.text));
    }
    let findings = validation_tags::lint(&model, PackageLevel::of(package));
    match findings.into_iter().next() {
        None => Ok(()),
        Some(finding) => {
            let field = finding.field.as_deref().and_then(field_named);
            Err(syn::Error::new(field.map_or(span, |field| field.span), finding.text))
        }
    }
}

fn plain(tags: &[SpannedTag]) -> Vec<Tag> {
    tags.iter().map(|spanned| spanned.tag.clone()).collect()
}

fn model_field(field: &TaggedField<'_>, types: &mut Vec<NamedType<Tag>>) -> model::Field<Tag> {
    let mut value_type = model_type(field.field_type, types);
    if let Some(ValueType { tags, constants }) = field.value_type {
        let constants = constants
            .iter()
            .map(|value| model::Constant { value: value.clone(), rules: Vec::new() })
            .collect();
        types.push(NamedType {
            name: format!("{} (value type)", field.name),
            rules: plain(tags),
            definition: Definition::Alias(model::Type::String),
            constants,
        });
        value_type = model::Type::Named(TypeId(types.len() - 1));
    }
    model::Field {
        name: field.name.to_owned(),
        value_type,
        rules: plain(field.tags),
        default: None,
        omitted_when_unset: false,
    }
}

/// The type as far as its name tells; what is not known by name is left to the engine.
fn model_type(field_type: &Type, types: &mut Vec<NamedType<Tag>>) -> model::Type {
    let Type::Path(path) = field_type else { return unknown("", types) };
    let Some(segment) = path.path.segments.last() else { return unknown("", types) };
    let mut inner = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(model_type(inner, types)),
                _ => None,
            })
            .collect(),
        PathArguments::None | PathArguments::Parenthesized(_) => Vec::new(),
    };
    let name = segment.ident.to_string();
    match (name.as_str(), inner.pop(), inner.pop()) {
        ("Option", Some(many @ (model::Type::List(_) | model::Type::Map(..))), _) => many,
        ("Option", Some(target), _) => model::Type::Pointer(Box::new(target)),
        ("Box", Some(target), _) => target,
        ("Vec", Some(item), _) => model::Type::List(Box::new(item)),
        ("BTreeMap", Some(value), Some(key)) => model::Type::Map(Box::new(key), Box::new(value)),
        ("String", ..) => model::Type::String,
        ("bool", ..) => model::Type::Bool,
        ("i32", ..) => model::Type::Int(model::Int::Int32),
        ("i64", ..) => model::Type::Int(model::Int::Int64),
        ("f64", ..) => model::Type::Float,
        ("Timestamp" | "MicroTime" | "Quantity" | "IntOrString" | "Json", ..) => {
            model::Type::Opaque(name)
        }
        _ => unknown(&name, types),
    }
}

fn unknown(name: &str, types: &mut Vec<NamedType<Tag>>) -> model::Type {
    types.push(NamedType {
        name: name.to_owned(),
        rules: Vec::new(),
        definition: Definition::Unknown,
        constants: Vec::new(),
    });
    model::Type::Named(TypeId(types.len() - 1))
}
