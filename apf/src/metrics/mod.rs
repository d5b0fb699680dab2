//! The metrics of Priority and Fairness as they are exposed (spec: apf 10).
//!
//! The first ones have the prefix `apiserver_flowcontrol_`; the last ones are the server's own, of
//! which parts come from here.

mod table;
#[cfg(test)]
mod tests;

pub use self::table::METRICS;

/// A metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Its full name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// How settled it is.
    pub stability: Stability,
    /// What it says, without the prefix that [`Metric::help`] puts before.
    pub meaning: &'static str,
    /// The names of its labels, in alphabetical order.
    pub labels: &'static [&'static str],
    /// Labels with one value for all series.
    pub const_labels: &'static [(&'static str, &'static str)],
}

impl Metric {
    /// A metric without constant labels.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: Kind,
        stability: Stability,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, kind, stability, meaning, labels, const_labels: &[] }
    }
}

/// The kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number that only grows.
    Counter,
    /// A number.
    Gauge,
    /// Observations by size; upper bounds, inclusive and ascending.
    Histogram(&'static [f64]),
    /// The same, where every nanosecond is an observation of a number.
    TimingHistogram(&'static [f64]),
}

/// How settled a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// It may change at any time.
    Alpha,
    /// It may change with notice.
    Beta,
    /// It does not change.
    Stable,
    /// It is for the server's makers.
    Internal,
}

impl Stability {
    /// As it stands in help texts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alpha => "ALPHA",
            Self::Beta => "BETA",
            Self::Stable => "STABLE",
            Self::Internal => "INTERNAL",
        }
    }
}

impl Metric {
    /// The help text.
    #[must_use]
    pub fn help(&self) -> String {
        let prefix = match self.kind {
            Kind::TimingHistogram(_) => "EXPERIMENTAL: ",
            Kind::Counter | Kind::Gauge | Kind::Histogram(_) => "",
        };
        format!("{prefix}[{}] {}", self.stability.as_str(), self.meaning)
    }

    /// The type in the exposition.
    #[must_use]
    pub const fn exposed_type(&self) -> &'static str {
        match self.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram(_) | Kind::TimingHistogram(_) => "histogram",
        }
    }
}
