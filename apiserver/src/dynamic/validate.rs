//! Webhooks that refuse, asked all at once.

use api::status::Status;
use futures_util::future::join_all;

use super::hook::Hook;
use super::request::{Objects, Request};

/// Asks webhooks whether a request may be done.
///
/// # Errors
///
/// The refusal or failure of the first one, by their order.
pub(crate) async fn validate(
    hooks: &[Hook],
    request: &Request<'_>,
    objects: Objects<'_>,
) -> Result<(), Status> {
    if request.is_exempt() {
        return Ok(());
    }
    let mut asked = Vec::new();
    for hook in hooks {
        if let Some(resource) = hook.concerns(request, objects).await? {
            asked.push((hook, resource));
        }
    }
    let answers = asked.iter().map(|(hook, resource)| hook.ask(request, resource, objects, false));
    join_all(answers).await.into_iter().try_for_each(|answer| answer.map(drop))
}
