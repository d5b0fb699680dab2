//! Kinds and versions that clients are told not to use any more.

/// What a client of a deprecated version is told; `None` for what is not deprecated.
#[must_use]
pub fn warning(group: &str, version: &str, kind: &str) -> Option<String> {
    let (since, gone, instead) = match (group, version, kind) {
        ("", "v1", "ComponentStatus") => ("v1.19+", None, None),
        ("", "v1", "Endpoints") => {
            ("v1.33+", None, Some("discovery.k8s.io/v1 EndpointSlice".to_owned()))
        }
        (api::flowcontrol::GROUP, version, kind) => {
            let (since, gone, next) = match version {
                "v1beta1" => ("v1.23+", "v1.26+", "v1beta2"),
                "v1beta2" => ("v1.26+", "v1.29+", "v1beta3"),
                "v1beta3" => ("v1.29+", "v1.32+", "v1"),
                _ => return None,
            };
            (since, Some(gone), Some(format!("{group}/{next} {kind}")))
        }
        _ => return None,
    };
    let api_version =
        if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let gone = gone.map(|gone| format!(", unavailable in {gone}")).unwrap_or_default();
    let instead = instead.map(|instead| format!("; use {instead}")).unwrap_or_default();
    Some(format!("{api_version} {kind} is deprecated in {since}{gone}{instead}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_says_since_when_until_when_and_what_to_use_instead() {
        assert_eq!(
            warning("flowcontrol.apiserver.k8s.io", "v1beta2", "FlowSchema").unwrap(),
            "flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema is deprecated in v1.26+, unavailable \
             in v1.29+; use flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema"
        );
        assert_eq!(
            warning("", "v1", "Endpoints").unwrap(),
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
        );
        assert_eq!(warning("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"), None);
    }
}
