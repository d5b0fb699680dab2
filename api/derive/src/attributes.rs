//! Reading the attributes of a struct and of its fields.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Attribute, Expr, Ident, Lit, LitInt, LitStr, Type, meta::ParseNestedMeta};

use crate::validate::{self, SpannedTag, TaggedField, ValueType};

/// What a struct's attributes say.
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) openapi_name: String,
    pub(crate) description: String,
    pub(crate) atomic: bool,
    pub(crate) unions: Vec<TokenStream>,
    pub(crate) tags: Vec<SpannedTag>,
    camel_case: bool,
}

impl Container {
    pub(crate) fn parse(ident: &Ident, attributes: &[Attribute]) -> syn::Result<Self> {
        let mut name = ident.to_string();
        let mut package = None;
        let mut atomic = false;
        let mut unions = Vec::new();
        let mut tags = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("k8s")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("package") {
                    package = Some(string(&meta)?);
                } else if meta.path.is_ident("name") {
                    name = string(&meta)?;
                } else if meta.path.is_ident("atomic") {
                    atomic = true;
                } else if meta.path.is_ident("union") {
                    unions.push(union(&meta)?);
                } else if meta.path.is_ident("validate") {
                    tags.extend(validate::parse_tags(&meta)?);
                } else {
                    return Err(meta
                        .error("a struct takes package, name, atomic, union(…) and validate(…)"));
                }
                Ok(())
            })?;
        }
        let Some(package) = package else {
            return Err(syn::Error::new(ident.span(), "missing #[k8s(package = \"io.k8s.…\")]"));
        };
        Ok(Self {
            openapi_name: format!("{package}.{name}"),
            name,
            description: description(attributes),
            atomic,
            unions,
            tags,
            camel_case: serde_value(attributes, "rename_all")?.as_deref() == Some("camelCase"),
        })
    }
}

fn union(meta: &ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    let mut discriminator = None;
    let mut members = Vec::new();
    meta.parse_nested_meta(|member| {
        let value = string(&member)?;
        if member.path.is_ident("discriminator") {
            discriminator = Some(value);
        } else {
            let field = member.path.require_ident()?.to_string();
            let field = camel_case(&field);
            members.push(
                quote!((::std::string::String::from(#field), ::std::string::String::from(#value))),
            );
        }
        Ok(())
    })?;
    let Some(discriminator) = discriminator else {
        return Err(meta.error("a union names its discriminator"));
    };
    Ok(quote! {
        ::api::schema::Union {
            discriminator: ::std::string::String::from(#discriminator),
            members: ::std::vec![#(#members),*],
        }
    })
}

/// What a field's attributes say.
pub(crate) struct FieldAttributes {
    name: String,
    span: Span,
    description: String,
    field_type: Type,
    number: u32,
    required: bool,
    presence: Option<TokenStream>,
    default: Option<Expr>,
    list_type: Option<TokenStream>,
    patch_merge: Option<TokenStream>,
    values: Vec<LitStr>,
    openapi: Option<String>,
    tags: Vec<SpannedTag>,
    value_type: Option<ValueType>,
}

impl FieldAttributes {
    pub(crate) fn parse(field: &syn::Field, container: &Container) -> syn::Result<Self> {
        let Some(ident) = &field.ident else {
            return Err(syn::Error::new_spanned(field, "a field needs a name"));
        };
        let rename = serde_value(&field.attrs, "rename")?;
        let mut parsed = Self {
            name: rename.unwrap_or_else(|| json_name(ident, container.camel_case)),
            span: ident.span(),
            description: description(&field.attrs),
            field_type: field.ty.clone(),
            number: 0,
            required: false,
            presence: None,
            default: None,
            list_type: None,
            patch_merge: None,
            values: Vec::new(),
            openapi: None,
            tags: Vec::new(),
            value_type: None,
        };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("k8s")) {
            attribute.parse_nested_meta(|meta| parsed.read(&meta))?;
        }
        Ok(parsed)
    }

    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let Some(key) = meta.path.get_ident().map(ToString::to_string) else {
            return Err(meta.error("unknown attribute"));
        };
        match key.as_str() {
            "number" => self.number = meta.value()?.parse::<LitInt>()?.base10_parse()?,
            "required" => self.required = true,
            "default" => self.default = Some(meta.value()?.parse()?),
            "optional" => self.presence = Some(quote!(Optional)),
            "omit_zero" => self.presence = Some(quote!(OmitZero)),
            "always" => self.presence = Some(quote!(Always)),
            "nullable" => self.presence = Some(quote!(Nullable)),
            "validate" => self.tags.extend(validate::parse_tags(meta)?),
            "value_type" => self.value_type = Some(ValueType::parse(meta)?),
            "openapi" => self.openapi = Some(string(meta)?),
            "patch_merge" => self.patch_merge = Some(quote!(Primitives)),
            "patch_merge_key" => {
                let merge_key = string(meta)?;
                self.patch_merge = Some(quote!(ByKey(::std::string::String::from(#merge_key))));
            }
            "list_map_key" => {
                let map_key = string(meta)?;
                self.list_type =
                    Some(quote!(Map(::std::vec![::std::string::String::from(#map_key)])));
            }
            "list_type" => {
                self.list_type = Some(match string(meta)?.as_str() {
                    "atomic" => quote!(Atomic),
                    "set" => quote!(Set),
                    _ => {
                        return Err(
                            meta.error("list_type is atomic or set; maps give list_map_key")
                        );
                    }
                });
            }
            "values" => {
                let inner;
                syn::parenthesized!(inner in meta.input);
                let list =
                    inner.parse_terminated(<LitStr as syn::parse::Parse>::parse, syn::Token![,])?;
                self.values = list.into_iter().collect();
            }
            _ => return Err(meta.error("unknown attribute; see the documentation of Schema")),
        }
        Ok(())
    }

    pub(crate) fn tokens(&self) -> TokenStream {
        let Self { name, description, field_type, number, required, .. } = self;
        let rules = validate::tokens(&self.tags);
        let value_type = match &self.value_type {
            Some(value_type) => {
                let value_type = value_type.tokens();
                quote!(::std::option::Option::Some(#value_type))
            }
            None => quote!(::std::option::Option::None),
        };
        let shape = self.shape();
        let presence = match &self.presence {
            Some(presence) => quote!(::api::schema::Presence::#presence),
            None => quote!(<#field_type as ::api::schema::Described>::presence()),
        };
        let default = match &self.default {
            Some(literal) => quote!(::std::option::Option::Some(::api::schema::literal(#literal))),
            None => quote!(::std::option::Option::None),
        };
        quote! {
            ::api::schema::Field::described(::api::schema::FieldParts {
                name: #name,
                description: #description,
                shape: #shape,
                presence: #presence,
                number: #number,
                required: #required,
                default: #default,
            })
            .with_rules(#rules, #value_type)
        }
    }

    /// What the checks of tags need to know.
    pub(crate) fn tagged(&self) -> TaggedField<'_> {
        TaggedField {
            name: &self.name,
            span: self.span,
            field_type: &self.field_type,
            tags: &self.tags,
            value_type: self.value_type.as_ref(),
        }
    }

    fn shape(&self) -> TokenStream {
        let field_type = &self.field_type;
        let mut shape = quote!(<#field_type as ::api::schema::Described>::shape());
        if !self.values.is_empty() {
            let values = &self.values;
            shape = quote!(::api::schema::Shape::String(&[#(#values),*]));
        }
        if let Some(openapi) = &self.openapi {
            shape = quote!(::api::schema::Shape::Json(#openapi));
        }
        if let Some(list_type) = &self.list_type {
            shape = quote!((#shape).with_list_type(::api::schema::ListType::#list_type));
        }
        if let Some(patch_merge) = &self.patch_merge {
            shape = quote!((#shape).with_patch_merge(::api::schema::PatchMerge::#patch_merge));
        }
        shape
    }
}

fn string(meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
    Ok(meta.value()?.parse::<LitStr>()?.value())
}

/// The text of the doc comments, lines joined, paragraphs kept.
fn description(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta.require_name_value().ok()?.value {
            Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => {
                Some(text.value().trim().to_owned())
            }
            _ => None,
        })
        .collect();
    lines
        .join("\n")
        .split("\n\n")
        .map(|part| part.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The value of `#[serde(key = "value")]`.
fn serde_value(attributes: &[Attribute], key: &str) -> syn::Result<Option<String>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident(key) {
                found = Some(string(&meta)?);
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<Expr>()?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}

fn json_name(ident: &Ident, camel: bool) -> String {
    let name = ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    if camel { camel_case(name) } else { name.to_owned() }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |joined, word| {
        let mut letters = word.chars();
        let head = letters.next().map(|letter| letter.to_ascii_uppercase());
        joined + &head.into_iter().chain(letters).collect::<String>()
    })
}
