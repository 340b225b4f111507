//! From a configured server to what the manager takes.

use sha2::{Digest, Sha256};

use super::server::{Kind, ServerConfig};
use crate::cache::CacheKey;
use crate::policy::ServerKind;
use crate::select::create_transport;
use crate::spec::ServerSpec;

impl ServerConfig {
    /// The server as the manager takes it. A [`protocol`](Self::protocol) that is not known is as
    /// if it were not there. [`approvals`](Self::approvals) are not in it: they are for whoever calls tools.
    pub fn spec(&self) -> ServerSpec {
        let input = self.fingerprint_input();
        let mut spec = ServerSpec::new(self.name.as_str(), create_transport(self));
        spec.start_timeout = self.start_timeout;
        spec.protocol = self.protocol.choice();
        spec.lazy = self.lazy;
        spec.kind = if self.kind() == Kind::Stdio { ServerKind::Process } else { ServerKind::Remote };
        spec.tools = self.tools.clone();
        spec.cache_key = Some(self.cache_key());
        spec.fingerprint = Sha256::digest(&input).to_vec();
        spec
    }

    /// What its tools are cached under.
    pub fn cache_key(&self) -> CacheKey {
        CacheKey::new(&self.name, &self.fingerprint_input())
    }
}
