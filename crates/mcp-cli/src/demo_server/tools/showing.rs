//! Tools that show what results and arguments can be.

use serde_json::{Value, json};

use super::super::catalogue::resources;
use super::super::outcome::{Ended, text};
use super::Call;

/// No sound at all, as WAV in Base64.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

impl Call<'_> {
    pub(super) fn media(&self) -> Value {
        let revision = self.caller.revision();
        let mut content = vec![
            json!({ "type": "text", "text": "A text." }),
            json!({ "type": "image", "data": resources::DOT, "mimeType": "image/png" }),
            json!({ "type": "resource", "resource": resources::read(&self.world.shelf(), "demo://notes") }),
        ];
        if revision.has_audio() {
            content.push(json!({ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }));
        }
        if revision.has_links() {
            content.push(json!({ "type": "resource_link", "uri": "demo://about", "name": "about" }));
        }
        json!({ "content": content })
    }

    /// Says what arrived.
    pub(super) fn route(&self) -> Result<Value, Ended> {
        self.text("region", None)?;
        Ok(text(format!("Routed by {}", Value::Object(self.arguments.clone()))))
    }
}
