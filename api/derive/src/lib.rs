//! `#[derive(Schema)]`: turns a struct with `#[k8s(...)]` attributes into its `TypeDef`.
//!
//! The derive emits a table and no logic. JSON names come from the struct's serde attributes, so
//! that a field is named once; descriptions come from doc comments.

mod attributes;
mod validate;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, parse_macro_input, spanned::Spanned};

use attributes::{Container, FieldAttributes};

/// Describes a struct to everything that handles objects. See `api::schema`.
///
/// On the struct: `package = "io.k8s.api.x.v1"` (required), `name = "X"`, `atomic`,
/// `union(discriminator = "type", member = "Value", …)`.
/// On a field: `number = N`, `required`, `default = LITERAL`, one of `optional`, `omit_zero`,
/// `always`, `nullable` where the type's own rule is not right, `list_type = "atomic|set|map"`,
/// `list_map_key = "name"`, `patch_merge`, `patch_merge_key = "name"`, `values("A", "B")`,
/// `openapi = "io.k8s.…"` for a JSON value with a type name of its own.
/// On both: `validate(tag, tag(argument: value) = payload, …)` with validation tags as
/// `docs/validation-tags.md` lists them. On a field that holds text of a named type:
/// `value_type(tag, …, constants("A", "B"))` with the tags and constants of that type.
#[proc_macro_derive(Schema, attributes(k8s))]
pub fn derive_schema(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new(input.span(), "Schema describes structs with named fields"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(syn::Error::new(input.span(), "Schema describes structs with named fields"));
    };
    let container = Container::parse(&input.ident, &input.attrs)?;
    let fields = fields
        .named
        .iter()
        .map(|field| FieldAttributes::parse(field, &container))
        .collect::<syn::Result<Vec<_>>>()?;
    let tagged: Vec<_> = fields.iter().map(FieldAttributes::tagged).collect();
    validate::check(&container.openapi_name, input.ident.span(), &container.tags, &tagged)?;
    let fields = fields.iter().map(FieldAttributes::tokens);
    let rules = validate::tokens(&container.tags);

    let ident = &input.ident;
    let Container { name, openapi_name, description, atomic, unions, .. } = &container;
    Ok(quote! {
        impl ::api::schema::Described for #ident {
            fn shape() -> ::api::schema::Shape {
                ::api::schema::Shape::Struct(::api::schema::TypeRef::Lazy(|| {
                    static TYPE: ::std::sync::LazyLock<::std::sync::Arc<::api::schema::TypeDef>> =
                        ::std::sync::LazyLock::new(|| {
                            ::std::sync::Arc::new(::api::schema::TypeDef {
                                name: ::std::string::String::from(#name),
                                openapi_name: ::std::string::String::from(#openapi_name),
                                description: ::std::string::String::from(#description),
                                fields: ::std::vec![#(#fields),*],
                                atomic: #atomic,
                                open: false,
                                unions: ::std::vec![#(#unions),*],
                                rules: #rules,
                            })
                        });
                    &TYPE
                }))
            }

            fn type_def() -> ::std::option::Option<&'static ::std::sync::Arc<::api::schema::TypeDef>> {
                match <Self as ::api::schema::Described>::shape() {
                    ::api::schema::Shape::Struct(::api::schema::TypeRef::Lazy(resolve)) => {
                        ::std::option::Option::Some(resolve())
                    }
                    _ => ::std::option::Option::None,
                }
            }
        }
    })
}
