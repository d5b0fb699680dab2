//! What is scarce and is taken for a write.

use api::status::Status;
use serde_json::Value;

use super::WriteContext;
use crate::handlers::admission::Charged;
use crate::handlers::allocation::Allocated;

/// What is scarce and was taken for a write.
pub(super) struct Held<'a> {
    charged: Charged<'a>,
    allocated: Allocated<'a>,
}

impl<'c> WriteContext<'c> {
    /// Takes what the object needs of what is scarce: room in quotas, addresses, ports. It is held
    /// until the object is stored.
    pub(super) async fn take(
        &self,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Result<Held<'c>, Status> {
        let charged = self.charge(object, old).await?;
        match self.allocate(object, old).await {
            Ok(allocated) => Ok(Held { charged, allocated }),
            Err(status) => {
                self.give_back(charged).await;
                Err(status)
            }
        }
    }

    pub(super) async fn put_back(&self, held: Held<'_>, object: &Value) {
        self.give_back(held.charged).await;
        self.give_up(held.allocated, object).await;
    }
}
