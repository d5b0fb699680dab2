//! `--feature-gates` (spec: validation 18).

use std::collections::BTreeMap;

use super::values;

/// Every gate of the reference: name, stage, default.
const KNOWN: &str = include_str!("feature_gates.txt");

/// Gates that can no longer be changed, and the value they are locked to.
const LOCKED: [(&str, bool); 2] =
    [("DeclarativeValidation", true), ("DeclarativeValidationTakeover", false)];

/// Which gates are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureGates {
    enabled: BTreeMap<&'static str, bool>,
}

impl Default for FeatureGates {
    fn default() -> Self {
        Self { enabled: known().map(|gate| (gate.name, gate.default)).collect() }
    }
}

struct Gate {
    name: &'static str,
    stage: &'static str,
    default: bool,
}

fn known() -> impl Iterator<Item = Gate> {
    KNOWN.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, stage) = (words.next()?, words.next()?);
        Some(Gate { name, stage, default: words.next()? == "true" })
    })
}

impl FeatureGates {
    /// Reads the flag's values, each a comma-separated list of `name=bool`.
    ///
    /// # Errors
    ///
    /// The reference's text.
    pub fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut gates = Self::default();
        let mut set = BTreeMap::new();
        let mut prefixed = None;
        for item in values.into_iter().flat_map(|value| value.split(',')).map(str::trim) {
            if item.is_empty() {
                continue;
            }
            let (name, value) = split(item)?;
            let (component, name) = match name.split_once(':') {
                Some((component, name)) => (Some(component), name),
                None => (None, name),
            };
            if let Some(component) = component.filter(|component| *component != "kube") {
                return Err(format!("component not registered: {component}"));
            }
            if *prefixed.get_or_insert(component.is_some()) != component.is_some() {
                return Err("set kube feature gates with default empty prefix or kube: prefix \
                            consistently, do not mix use"
                    .to_owned());
            }
            set.insert(name, value);
        }
        gates.apply(&set)?;
        Ok(gates)
    }

    fn apply(&mut self, set: &BTreeMap<&str, bool>) -> Result<(), String> {
        if let Some(unknown) = set.keys().find(|name| !self.enabled.contains_key::<str>(name)) {
            return Err(format!("unrecognized feature gate: {unknown}"));
        }
        let locked: Vec<String> = LOCKED
            .into_iter()
            .filter(|(name, value)| set.get(name).is_some_and(|wanted| wanted != value))
            .map(|(name, value)| {
                format!(
                    "cannot set feature gate {name} to {}, feature is locked to {value}",
                    !value
                )
            })
            .collect();
        match locked.len() {
            0 => {}
            1 => return Err(locked.concat()),
            _ => return Err(format!("[{}]", locked.join(", "))),
        }
        for (group, stage) in [("AllAlpha", "ALPHA"), ("AllBeta", "BETA")] {
            let Some(value) = set.get(group) else { continue };
            for gate in known().filter(|gate| gate.stage == stage) {
                self.enabled.insert(gate.name, *value);
            }
        }
        for (name, value) in set {
            if let Some(enabled) = self.enabled.get_mut::<str>(name) {
                *enabled = *value;
            }
        }
        Ok(())
    }

    /// Every gate as metrics tell it: its name, its stage (empty for a settled one), whether it is
    /// on.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str, bool)> + '_ {
        known().map(|gate| {
            let stage = if gate.stage == "GA" { "" } else { gate.stage };
            (gate.name, stage, self.enabled(gate.name))
        })
    }

    /// Whether a gate is on; unknown ones are off.
    #[must_use]
    pub fn enabled(&self, name: &str) -> bool {
        self.enabled.get::<str>(name).copied().unwrap_or(false)
    }
}

fn split(item: &str) -> Result<(&str, bool), String> {
    let Some((name, value)) = item.split_once('=') else {
        return Err(format!("missing bool value for {item}"));
    };
    let (name, value) = (name.trim(), value.trim());
    let parsed = values::boolean(value)
        .map_err(|error| format!("invalid value of {name}={value}, err: {error}"))?;
    Ok((name, parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_the_references() {
        for (value, error) in [
            ("Bogus=true", "unrecognized feature gate: Bogus"),
            (
                "DeclarativeValidation=false",
                "cannot set feature gate DeclarativeValidation to false, feature is locked to true",
            ),
            ("DeclarativeValidationBeta", "missing bool value for DeclarativeValidationBeta"),
            (
                "DeclarativeValidationBeta=maybe",
                "invalid value of DeclarativeValidationBeta=maybe, err: strconv.ParseBool: parsing \
                 \"maybe\": invalid syntax",
            ),
            ("wardle:Foo=true", "component not registered: wardle"),
        ] {
            assert_eq!(FeatureGates::parse([value]).unwrap_err(), error);
        }
    }

    #[test]
    fn a_gate_set_by_name_wins_over_its_group() {
        let gates = FeatureGates::parse(["DeclarativeValidationBeta=true,AllBeta=false"]).unwrap();
        assert!(gates.enabled("DeclarativeValidationBeta"));
        assert!(!gates.enabled("WatchList"));
        assert!(FeatureGates::default().enabled("WatchList"));
    }
}
