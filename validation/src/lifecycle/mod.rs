//! How handwritten and declarative rules go together while rules move from one to the other
//! (spec: validation 16, 17).
//!
//! Both run on every request. Declarative errors of level beta take the place of the handwritten
//! ones they match; those of level alpha are only compared. Differences and panics are told to an
//! [`Observer`].

mod compare;
mod observer;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::field::{Error, ErrorList, ErrorType, Level, Trail};

pub use compare::Normalization;
pub use observer::{Identifier, Observer, Silent};

use compare::{Comparison, Twins};

/// What decides about one request.
#[derive(Clone, Copy)]
pub struct Lifecycle<'a> {
    /// `DeclarativeValidation`: the two kinds of rules are compared. They run in any case.
    pub compare: bool,
    /// `DeclarativeValidationBeta`: rules in beta are enforced.
    pub enforce_beta: bool,
    /// Where declarative rules name fields differently.
    pub normalizations: &'a [Normalization],
    /// A declarative error that stopped the rules of a field also stands for handwritten errors
    /// inside that field.
    pub ancestors_match: bool,
    /// Names the request in metrics.
    pub identifier: Identifier<'a>,
    /// Who is told about differences and panics.
    pub observer: &'a dyn Observer,
}

impl Lifecycle<'_> {
    /// Runs the declarative rules and combines what they find with what the handwritten ones found.
    /// A panic of the declarative rules becomes an error.
    #[must_use]
    pub fn combine(
        &self,
        handwritten: ErrorList,
        declarative: impl FnOnce() -> ErrorList,
    ) -> ErrorList {
        let declarative = self.run(declarative);
        if handwritten.is_empty() && declarative.is_empty() {
            return handwritten;
        }
        if self.compare {
            let comparison = Comparison {
                normalizations: self.normalizations,
                ancestors_match: self.ancestors_match,
                enforce_beta: self.enforce_beta,
            };
            for message in comparison.differences(&handwritten, &declarative) {
                self.observer.mismatch(&self.identifier.to_string(), &message);
            }
        }
        let replacing = declarative
            .iter()
            .filter(|error| error.level == Level::Beta && self.is_enforced(error));
        let twins = Twins::of(replacing, self.normalizations);
        let replaced = |error: &Error| error.covered && twins.match_error(error);
        let handwritten = handwritten.without_repetitions();
        let mut errors: ErrorList =
            handwritten.into_iter().filter(|error| !replaced(error)).collect();
        errors.extend(declarative.into_iter().filter(|error| self.is_enforced(error)));
        errors
    }

    fn is_enforced(&self, error: &Error) -> bool {
        error.error_type == ErrorType::Internal
            || match error.level {
                Level::Standard => true,
                Level::Beta => self.enforce_beta,
                Level::Alpha => false,
            }
    }

    fn run(&self, declarative: impl FnOnce() -> ErrorList) -> ErrorList {
        // The closure's results are dropped if it panics, so nothing half done is seen.
        catch_unwind(AssertUnwindSafe(declarative)).unwrap_or_else(|panic| {
            let value = text_of(&*panic);
            self.observer.panic(&self.identifier.to_string(), value);
            let detail = format!("panic during declarative validation: {value}");
            [Error::internal(&Trail::nil(), detail)].into_iter().collect()
        })
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown panic")
}

#[cfg(test)]
mod tests;
