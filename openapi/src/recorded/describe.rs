//! What clients are told about recorded types and fields, in our own words: a sentence where there
//! is one, else what the name says.

/// Of a type.
pub(super) fn type_description(name: &str) -> String {
    find(TYPES, name).unwrap_or_else(|| format!("{}.", capitalized(&words(name))))
}

/// Of a field.
pub(super) fn field_description(name: &str) -> String {
    find(FIELDS, name).unwrap_or_else(|| format!("The {}.", words(name)))
}

/// Of a query parameter of a subresource.
pub(super) fn parameter_description(name: &str) -> String {
    find(PARAMETERS, name).unwrap_or_else(|| format!("The {}.", words(name)))
}

fn find(table: &[(&str, &str)], name: &str) -> Option<String> {
    let index = table.binary_search_by_key(&name, |(name, _)| *name).ok()?;
    table.get(index).map(|(_, description)| (*description).to_owned())
}

/// The words of a name in camel case. Runs of capitals stay together: `clusterIPs` is
/// `cluster IPs`.
fn words(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase() || after.is_some_and(char::is_ascii_lowercase)
            })
            // The `s` of a plural such as `IPs` begins no word.
            && !(before.is_some_and(char::is_ascii_uppercase) && after == Some(&'s'));
        if begins {
            words.push(' ');
        }
        let in_run = after.is_some_and(char::is_ascii_uppercase)
            || !begins && before.is_some_and(char::is_ascii_uppercase);
        words.push(if in_run { *letter } else { letter.to_ascii_lowercase() });
    }
    words
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let head = letters.next().map(|letter| letter.to_ascii_uppercase());
    head.into_iter().chain(letters).collect()
}

/// Sorted by name.
const TYPES: &[(&str, &str)] = &[
    ("APIService", "Says who serves a version of an API group."),
    ("Binding", "Puts a Pod on a Node."),
    (
        "CSIDriver",
        "Says what the server has to know about a storage driver of the Container Storage Interface.",
    ),
    ("CSINode", "Lists the storage drivers on a Node."),
    ("CSIStorageCapacity", "Says how much storage a class has left in a part of the cluster."),
    ("CertificateSigningRequest", "Asks a signer for an X.509 certificate."),
    (
        "ClusterRole",
        "A set of permissions for the whole cluster, or for bindings in any namespace.",
    ),
    ("ClusterRoleBinding", "Grants a ClusterRole in the whole cluster."),
    ("ClusterTrustBundle", "A set of X.509 root certificates for the whole cluster."),
    ("ComponentStatus", "Tells whether a component of the cluster is well. Deprecated."),
    ("Condition", "Something that holds, does not hold, or is not known of an object."),
    ("ConfigMap", "Configuration as keys and values."),
    ("ControllerRevision", "A state that a controller can go back to."),
    ("CronJob", "Makes Jobs by the calendar."),
    ("CustomResourceDefinition", "Defines a kind of object that is served like the built-in ones."),
    ("DaemonSet", "Runs a Pod on every Node, or on some."),
    (
        "Deployment",
        "Runs a number of equal Pods and replaces them step by step when the template changes.",
    ),
    ("DeviceClass", "A sort of device that can be claimed."),
    ("DeviceTaintRule", "Keeps Pods from devices that match."),
    ("EndpointSlice", "A part of the addresses behind a Service."),
    ("Endpoints", "The addresses behind a Service. Deprecated for EndpointSlice."),
    ("Event", "Something that happened to an object. Kept for a while, for people to read."),
    ("Eviction", "Asks to delete a Pod as far as its PodDisruptionBudgets allow."),
    ("HorizontalPodAutoscaler", "Sets the number of Pods by what metrics tell."),
    ("IPAddress", "Says which object uses an IP address."),
    ("Ingress", "Says how HTTP requests from outside reach Services."),
    ("IngressClass", "Names who carries out an Ingress."),
    ("Job", "Runs Pods until enough of them have succeeded."),
    ("LabelSelector", "Selects objects by their labels; one without conditions selects all."),
    ("LabelSelectorRequirement", "A condition on one label."),
    ("Lease", "Tells who holds something, and until when."),
    (
        "LimitRange",
        "Limits and defaults for the resources of single Pods and claims in a namespace.",
    ),
    ("LocalSubjectAccessReview", "Asks whether someone may do something in one namespace."),
    ("MutatingAdmissionPolicy", "Changes objects as they are written, by expressions."),
    ("MutatingAdmissionPolicyBinding", "Says where a MutatingAdmissionPolicy applies."),
    ("MutatingWebhookConfiguration", "Names webhooks that may change objects as they are written."),
    ("Namespace", "A room for names: objects in it are apart from those in others."),
    ("NetworkPolicy", "Says which network traffic some Pods allow."),
    ("Node", "A machine that Pods run on."),
    ("PersistentVolume", "A piece of storage in the cluster."),
    ("PersistentVolumeClaim", "Asks for storage and stands for it in Pods."),
    ("Pod", "Containers that run together on one Node."),
    ("PodCertificateRequest", "Asks a signer for a certificate for a Pod."),
    ("PodDisruptionBudget", "Limits how many of some Pods may be taken away on purpose at a time."),
    ("PodTemplate", "A template from which Pods are made."),
    ("PriorityClass", "A name for how important Pods are."),
    ("ReplicaSet", "Runs a number of equal Pods."),
    ("ReplicationController", "Runs a number of equal Pods. Older than ReplicaSet."),
    ("ResourceClaim", "Asks for devices and stands for them in Pods."),
    ("ResourceClaimTemplate", "A template from which ResourceClaims for Pods are made."),
    ("ResourceQuota", "Limits what all of a namespace may use."),
    ("ResourceSlice", "Lists devices that a driver offers."),
    ("Role", "A set of permissions in a namespace."),
    ("RoleBinding", "Grants a Role or ClusterRole in a namespace."),
    ("RuntimeClass", "A way to run containers."),
    ("Scale", "The number of replicas of another object."),
    ("Secret", "Sensitive data as keys and values."),
    ("SelfSubjectAccessReview", "Asks whether you yourself may do something."),
    ("SelfSubjectReview", "Asks who you are to the server."),
    ("SelfSubjectRulesReview", "Asks what you may do in a namespace."),
    ("Service", "One address for a set of Pods."),
    ("ServiceAccount", "An identity for programs in Pods."),
    ("ServiceCIDR", "A range of addresses for Services."),
    ("StatefulSet", "Runs Pods that each keep a name and storage of their own."),
    ("StorageClass", "A sort of storage that can be claimed."),
    ("StorageVersionMigration", "Has stored objects written anew in the current version."),
    ("SubjectAccessReview", "Asks whether someone may do something."),
    ("TokenRequest", "Asks for a token of a ServiceAccount."),
    ("TokenReview", "Asks whom a token stands for."),
    (
        "ValidatingAdmissionPolicy",
        "Accepts or refuses objects as they are written, by expressions.",
    ),
    ("ValidatingAdmissionPolicyBinding", "Says where a ValidatingAdmissionPolicy applies."),
    (
        "ValidatingWebhookConfiguration",
        "Names webhooks that may refuse objects as they are written.",
    ),
    ("VolumeAttachment", "Asks to attach a volume to a Node."),
    ("VolumeAttributesClass", "Attributes of volumes that may be changed while they are in use."),
];

/// Sorted by name.
const FIELDS: &[(&str, &str)] = &[
    ("apiGroup", "The API group; empty for the core group."),
    ("apiGroups", "The API groups; the core group is the empty text."),
    ("apiVersion", "The API group and version, such as `apps/v1`."),
    ("conditions", "What holds of the object, one entry for each type of condition."),
    ("data", "The data."),
    ("effect", "What becomes of Pods that do not tolerate it."),
    ("expression", "The expression, in the Common Expression Language."),
    ("image", "The container image."),
    ("items", "The items."),
    ("key", "The key."),
    ("kind", "The kind."),
    ("labelSelector", "Which objects are meant, by their labels."),
    ("lastProbeTime", "When it was last looked at."),
    ("lastTransitionTime", "When the status last changed."),
    ("lastUpdateTime", "When the entry was last written."),
    ("matchExpressions", "Conditions on labels; all have to hold."),
    ("matchLabels", "Labels with the values they must have."),
    ("message", "Why, in a sentence for people."),
    ("metadata", "The object's name and what the server keeps about it."),
    (
        "minReadySeconds",
        "For how many seconds a Pod has to be ready before it counts as available.",
    ),
    ("name", "The name."),
    ("namespace", "The namespace."),
    ("namespaceSelector", "Which namespaces are meant, by their labels."),
    ("nodeName", "The name of the Node."),
    ("observedGeneration", "The generation of the object that this was found out of."),
    ("operator", "How key and values are compared."),
    ("optional", "Whether it may be missing."),
    ("path", "The path."),
    ("port", "The port, as a number or by its name."),
    ("ports", "The ports."),
    ("protocol", "The network protocol."),
    ("readOnly", "Whether writing is not allowed."),
    ("reason", "Why, in one word for programs."),
    ("replicas", "How many there are to be; in a status, how many there are."),
    ("resourceVersion", "The revision of the object."),
    ("resources", "The resources."),
    ("secretRef", "The Secret that holds what is sensitive."),
    ("selector", "Which objects are meant."),
    ("spec", "What is asked for."),
    (
        "status",
        "What was found out; of a condition whether it holds: `True`, `False` or `Unknown`.",
    ),
    ("template", "What to make the objects from."),
    ("timeoutSeconds", "How many seconds it may take."),
    ("type", "Which of several sorts it is."),
    ("uid", "The uid of the object."),
    ("user", "The user."),
    ("value", "The value."),
    ("values", "The values."),
    ("verbs", "The verbs; `*` stands for all."),
    ("volumeName", "The name of the volume."),
];

/// Sorted by name.
const PARAMETERS: &[(&str, &str)] = &[
    ("command", "What to run: the program and its arguments, one parameter for each."),
    ("container", "The container, by its name; not needed if there is only one."),
    ("follow", "Goes on sending what is added."),
    (
        "insecureSkipTLSVerifyBackend",
        "Does not verify the certificate of the node. What comes back may be forged then.",
    ),
    ("limitBytes", "The most bytes to send; may cut a line."),
    ("path", "What to ask for behind the proxy."),
    ("ports", "The ports to forward."),
    ("previous", "Sends the log of the container before the last restart."),
    ("sinceSeconds", "Only what is at most so many seconds old."),
    ("stderr", "Connects the error output."),
    ("stdin", "Connects the input."),
    ("stdout", "Connects the output."),
    ("stream", "Which output to send: `All`, `Stdout` or `Stderr`."),
    ("tailLines", "Only so many lines from the end."),
    ("timestamps", "Begins each line with its time."),
    ("tty", "Has the container use a terminal."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(field_description("clusterIPs"), "The cluster IPs.");
        assert_eq!(
            field_description("terminationGracePeriodSeconds"),
            "The termination grace period seconds."
        );
        assert_eq!(field_description("podCIDR"), "The pod CIDR.");
        assert_eq!(field_description("hostIPC"), "The host IPC.");
        assert_eq!(type_description("HTTPGetAction"), "HTTP get action.");
        assert_eq!(type_description("Pod"), "Containers that run together on one Node.");
    }

    #[test]
    fn the_tables_are_sorted() {
        for table in [TYPES, FIELDS, PARAMETERS] {
            assert!(table.is_sorted_by_key(|(name, _)| *name));
        }
    }
}
