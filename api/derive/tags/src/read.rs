//! Understanding a tag's arguments and payload.

use crate::format::Format;
use crate::rule::{Constraint, ListKind, Rule, RuleError};
use crate::syntax::{Argument, Literal, Payload, Tag};
use crate::table::{Arguments, PayloadKind, TagInfo};

/// A tag that is being understood.
pub(crate) struct Reader<'a> {
    pub(crate) tag: &'a Tag,
}

impl Reader<'_> {
    pub(crate) fn read(
        &self,
        info: &TagInfo,
        inner: &mut dyn FnMut(&Tag) -> Result<Rule, RuleError>,
    ) -> Result<Rule, RuleError> {
        self.check(info)?;
        self.rule(inner)
    }

    fn check(&self, info: &TagInfo) -> Result<(), RuleError> {
        for argument in &self.tag.arguments {
            self.check_argument(info.arguments, argument)?;
        }
        if info.arguments == Arguments::One && self.tag.arguments.is_empty() {
            return Err(RuleError::MissingArgument);
        }
        let got = match (&self.tag.payload, info.payload) {
            (Payload::None, PayloadKind::None) => return Ok(()),
            (Payload::None, PayloadKind::Any) => return Err(RuleError::MissingPayload("string")),
            (Payload::None, want) => return Err(RuleError::MissingPayload(want.name())),
            (Payload::Tag(_), PayloadKind::Tag)
            | (Payload::Literal(_), PayloadKind::Any)
            | (Payload::Literal(Literal::Int(_)), PayloadKind::Int)
            | (Payload::Literal(Literal::Text(_)), PayloadKind::Text) => return Ok(()),
            (Payload::Tag(_), _) => "tag",
            (Payload::Literal(Literal::Int(_)), _) => "int",
            (Payload::Literal(Literal::Text(_)), _) => "string",
            (Payload::Literal(Literal::Bool(_)), _) => "bool",
        };
        Err(RuleError::WrongPayload { got, want: info.payload.name() })
    }

    fn check_argument(&self, takes: Arguments, argument: &Argument) -> Result<(), RuleError> {
        let only = self.tag.arguments.len() == 1;
        let known = match (&argument.name, takes) {
            (None, Arguments::One | Arguments::OneOrNamed(_)) => only,
            (Some(name), Arguments::Named(names) | Arguments::OneOrNamed(names)) => {
                names.contains(&name.as_str())
            }
            (Some(_), Arguments::Keys) => true,
            _ => false,
        };
        match (&argument.name, known) {
            (_, true) => Ok(()),
            (Some(_), false) => Err(RuleError::NamedArgument(argument.to_string())),
            (None, false) => Err(RuleError::PositionalArgument(argument.to_string())),
        }
    }

    fn rule(
        &self,
        inner: &mut dyn FnMut(&Tag) -> Result<Rule, RuleError>,
    ) -> Result<Rule, RuleError> {
        let wrapped = match &self.tag.payload {
            Payload::Tag(tag) => Some(Box::new(inner(tag)?)),
            Payload::None | Payload::Literal(_) => None,
        };
        match wrapped {
            Some(rule) => self.wrapper(rule),
            None => self.plain(),
        }
    }

    fn wrapper(&self, rule: Box<Rule>) -> Result<Rule, RuleError> {
        Ok(match self.tag.name.as_str() {
            "alpha" => {
                self.since()?;
                Rule::Alpha(rule)
            }
            "beta" => {
                self.since()?;
                Rule::Beta(rule)
            }
            "eachKey" => Rule::EachKey(rule),
            "eachVal" => Rule::EachVal(rule),
            "ifDisabled" => Rule::IfDisabled(self.first()?, rule),
            "ifEnabled" => Rule::IfEnabled(self.first()?, rule),
            "ifMode" => Rule::IfMode {
                modality: self.named("modality").unwrap_or_default(),
                mode: self.named("mode").map_or_else(|| self.first(), Ok)?,
                rule,
            },
            "item" => Rule::Item { keys: self.keys(), rule },
            "subfield" => Rule::Subfield(self.first()?, rule),
            _ => return Err(RuleError::Unknown),
        })
    }

    fn plain(&self) -> Result<Rule, RuleError> {
        Ok(match self.tag.name.as_str() {
            "customUnique" => Rule::CustomUnique,
            "customValidation" => Rule::CustomValidation,
            "dependentForbidden" => Rule::DependentForbidden(self.first()?),
            "dependentRequired" => Rule::DependentRequired(self.first()?),
            "enum" => Rule::Enum,
            "enumExclude" => Rule::EnumExclude,
            "forbidden" => Rule::Forbidden,
            "format" => {
                let name = self.text();
                Rule::Format(Format::named(&name).ok_or_else(|| {
                    RuleError::Other(format!("unsupported validation format {name:?}"))
                })?)
            }
            "immutable" => Rule::Immutable,
            "isSubresource" => Rule::IsSubresource(self.text()),
            "listMapKey" => Rule::ListMapKey(self.text()),
            "listType" => Rule::ListType(self.list_kind()?),
            "maxBytes" => Rule::MaxBytes(self.size()?),
            "maxItems" => Rule::MaxItems(self.size()?),
            "maxLength" => Rule::MaxLength(self.size()?),
            "maxProperties" => Rule::MaxProperties(self.entries()?),
            "maximum" => Rule::Maximum(self.int()?),
            "minItems" => Rule::MinItems(self.size()?),
            "minLength" => Rule::MinLength(usize::try_from(self.int()?.max(0)).unwrap_or(0)),
            "minProperties" => Rule::MinProperties(self.entries()?),
            "minimum" => Rule::Minimum(self.int()?),
            "modeDiscriminator" => Rule::ModeDiscriminator { modality: self.modality()? },
            "monotonic" => Rule::Monotonic,
            "neq" => Rule::Neq(self.literal()?),
            "opaqueType" => Rule::OpaqueType,
            "optional" => Rule::Optional,
            "required" => Rule::Required,
            "supportsSubresource" => Rule::SupportsSubresource(self.text()),
            "unionDiscriminator" => Rule::UnionDiscriminator { union: self.union() },
            "unionMember" => {
                Rule::UnionMember { union: self.union(), member_name: self.named("memberName") }
            }
            "unique" => Rule::Unique(self.list_kind()?),
            "update" => Rule::Update(self.constraint()?),
            "zeroOrOneOfMember" => Rule::ZeroOrOneOfMember { union: self.union() },
            _ => return Err(RuleError::Unknown),
        })
    }

    fn named(&self, name: &str) -> Option<String> {
        let named = |argument: &&Argument| argument.name.as_deref() == Some(name);
        self.tag.arguments.iter().find(named).map(|argument| plain_text(&argument.value))
    }

    fn first(&self) -> Result<String, RuleError> {
        let unnamed = self.tag.arguments.iter().find(|argument| argument.name.is_none());
        unnamed.map(|argument| plain_text(&argument.value)).ok_or(RuleError::MissingArgument)
    }

    fn union(&self) -> String {
        self.named("union").unwrap_or_default()
    }

    fn keys(&self) -> Vec<(String, Literal)> {
        let key = |argument: &Argument| Some((argument.name.clone()?, argument.value.clone()));
        self.tag.arguments.iter().filter_map(key).collect()
    }

    fn literal(&self) -> Result<Literal, RuleError> {
        match &self.tag.payload {
            Payload::Literal(literal) => Ok(literal.clone()),
            Payload::None | Payload::Tag(_) => Err(RuleError::MissingPayload("value")),
        }
    }

    fn text(&self) -> String {
        self.literal().map(|literal| plain_text(&literal)).unwrap_or_default()
    }

    fn int(&self) -> Result<i128, RuleError> {
        let digits = self.text();
        let number: Option<i128> = digits.parse().ok();
        number.filter(|number| number.to_string() == digits).ok_or_else(|| {
            RuleError::Other(format!(
                "failed to parse tag payload: {digits:?} is not a valid int value"
            ))
        })
    }

    fn size(&self) -> Result<usize, RuleError> {
        usize::try_from(self.int()?)
            .map_err(|_| RuleError::Other("must be greater than or equal to zero".to_owned()))
    }

    fn entries(&self) -> Result<usize, RuleError> {
        const ENTRIES_MAX: usize = 100_000;
        match self.size()? {
            entries if entries <= ENTRIES_MAX => Ok(entries),
            _ => Err(RuleError::Other(format!("must be less than or equal to {ENTRIES_MAX}"))),
        }
    }

    fn list_kind(&self) -> Result<ListKind, RuleError> {
        match (self.tag.name.as_str(), self.text().as_str()) {
            ("listType", "atomic") => Ok(ListKind::Atomic),
            (_, "set") => Ok(ListKind::Set),
            (_, "map") => Ok(ListKind::Map),
            ("listType", other) => Err(RuleError::Other(format!("unknown list type {other:?}"))),
            (_, other) => Err(RuleError::Other(format!("unknown unique type {other:?}"))),
        }
    }

    fn constraint(&self) -> Result<Constraint, RuleError> {
        let text = self.text();
        let all = [
            Constraint::NoSet,
            Constraint::NoUnset,
            Constraint::NoModify,
            Constraint::NoAddItem,
            Constraint::NoRemoveItem,
        ];
        all.into_iter()
            .find(|constraint| constraint.name() == text)
            .ok_or_else(|| RuleError::Other(format!("unknown +k8s:update constraint: {text}")))
    }

    fn modality(&self) -> Result<String, RuleError> {
        let Some(name) = self.named("modality") else { return Ok(String::new()) };
        if name == "default" {
            return Err(RuleError::Other(
                "discriminator group name \"default\" is reserved".to_owned(),
            ));
        }
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.bytes().all(word) {
            return Err(RuleError::Other(format!(
                "discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got {name:?}"
            )));
        }
        Ok(name)
    }

    fn since(&self) -> Result<(), RuleError> {
        let Some(version) = self.named("since") else { return Ok(()) };
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match version.split_once('.') {
            Some((major, minor)) if number(major) && number(minor) => Ok(()),
            _ => Err(RuleError::Other(format!(
                "invalid kubernetes version format, expected <major>.<minor>, got {version}"
            ))),
        }
    }
}

fn plain_text(literal: &Literal) -> String {
    match literal {
        Literal::Text(text) | Literal::Int(text) => text.clone(),
        Literal::Bool(value) => value.to_string(),
    }
}
