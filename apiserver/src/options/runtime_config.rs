//! `--runtime-config`: which API versions are served.

use std::collections::BTreeMap;

use super::values;

/// Every version.
const ALL: &str = "api/all";

/// What was said about API versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuntimeConfig {
    said: BTreeMap<String, bool>,
}

impl RuntimeConfig {
    /// Reads `key=bool` items; a key alone means true. Keys are `group/version` (`api/v1` for the
    /// core group), `api/all`, and `api/ga`, `api/beta`, `api/alpha` for versions of a stage.
    ///
    /// # Errors
    ///
    /// The reference's texts, all of them.
    pub fn parse<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<String>> {
        let mut said = BTreeMap::new();
        let mut errors = Vec::new();
        for item in items {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            let (key, value) = (key.trim(), value.trim());
            match values::boolean(if value.is_empty() { "true" } else { value }) {
                Ok(value) => drop(said.insert(key.to_owned(), value)),
                Err(why) => errors.push(format!("invalid value of {key}: {value}, err: {why}")),
            }
        }
        if said.len() == 1 && said.get(ALL) == Some(&false) {
            errors.push(format!("invalid key with only {ALL}=false"));
        }
        if errors.is_empty() { Ok(Self { said }) } else { Err(errors) }
    }

    /// Whether a version of a group is served; `default` is for versions that nothing was said
    /// about. What is said of a version wins over its stage, and that over everything.
    #[must_use]
    pub fn serves(&self, group: &str, version: &str, default: bool) -> bool {
        let group = if group.is_empty() { "api" } else { group };
        let stage = match version {
            version if version.contains("alpha") => "api/alpha",
            version if version.contains("beta") => "api/beta",
            _ => "api/ga",
        };
        let keys = [format!("{group}/{version}"), stage.to_owned(), ALL.to_owned()];
        keys.iter().find_map(|key| self.said.get(key).copied()).unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";

    #[test]
    fn what_is_said_of_a_version_wins_over_its_stage_and_that_over_all() {
        let said = |items: &[&str], version| {
            let config = RuntimeConfig::parse(items.iter().copied()).unwrap();
            config.serves(FLOW_CONTROL, version, version == "v1")
        };
        let v1beta3 = "flowcontrol.apiserver.k8s.io/v1beta3";
        assert!(said(&[], "v1") && !said(&[], "v1beta3"));
        assert!(said(&[v1beta3], "v1beta3"));
        assert!(said(&[&format!("{v1beta3}=true")], "v1beta3"));
        assert!(!said(&[&format!("{v1beta3}=true")], "v1beta2"));
        assert!(said(&["api/beta=true"], "v1beta2"));
        assert!(!said(&["api/beta=true", "api/all=false"], "v1"));
        assert!(said(&["api/beta=true", "api/all=false"], "v1beta2"));
        assert!(!said(&["api/all=true", &format!("{v1beta3}=false")], "v1beta3"));
        let core = RuntimeConfig::parse(["api/v1=false", "api/all=true"]).unwrap();
        assert!(!core.serves("", "v1", true));
    }

    #[test]
    fn errors_are_the_references() {
        assert_eq!(
            RuntimeConfig::parse(["batch/v1=maybe"]).unwrap_err(),
            ["invalid value of batch/v1: maybe, err: strconv.ParseBool: parsing \"maybe\": \
              invalid syntax"]
        );
        assert_eq!(
            RuntimeConfig::parse(["api/all=false"]).unwrap_err(),
            ["invalid key with only api/all=false"]
        );
    }
}
