//! Resources: listing and reading them.

use mcp_jsonrpc::Raw;
use mcp_types::{
    ListResourceTemplates, ListResourceTemplatesResult, ListResources, ListResourcesResult, Method,
    ReadResource, ReadResourceParams, ReadResourceResult, Resource, ResourceTemplate,
};

use crate::client::Client;
use crate::error::ClientError;
use crate::list::Page;
use crate::options::CallOptions;

impl Client {
    /// All resources of the server.
    ///
    /// # Errors
    ///
    /// As [`list_resources_with`](Self::list_resources_with).
    ///
    /// # Cancel safety
    ///
    /// As [`list_resources_with`](Self::list_resources_with).
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.list_resources_with(CallOptions::default()).await
    }

    /// All resources of the server, all pages of them. Bounds and timeouts are as with
    /// [`list_raw`](Self::list_raw).
    ///
    /// # Errors
    ///
    /// As [`list_raw`](Self::list_raw).
    ///
    /// # Cancel safety
    ///
    /// As [`list_raw`](Self::list_raw).
    pub async fn list_resources_with(&self, options: CallOptions) -> Result<Vec<Resource>, ClientError> {
        let read = |page: &Raw| {
            let page: ListResourcesResult = page.parse()?;
            Ok(Page { items: page.resources, next: page.next_cursor })
        };
        self.inner.list(ListResources::NAME, options, read).await
    }

    /// All templates of resources of the server.
    ///
    /// # Errors
    ///
    /// As [`list_resource_templates_with`](Self::list_resource_templates_with).
    ///
    /// # Cancel safety
    ///
    /// As [`list_resource_templates_with`](Self::list_resource_templates_with).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.list_resource_templates_with(CallOptions::default()).await
    }

    /// All templates of resources of the server, all pages of them. Bounds and timeouts are as with
    /// [`list_raw`](Self::list_raw).
    ///
    /// # Errors
    ///
    /// As [`list_raw`](Self::list_raw).
    ///
    /// # Cancel safety
    ///
    /// As [`list_raw`](Self::list_raw).
    pub async fn list_resource_templates_with(
        &self,
        options: CallOptions,
    ) -> Result<Vec<ResourceTemplate>, ClientError> {
        let read = |page: &Raw| {
            let page: ListResourceTemplatesResult = page.parse()?;
            Ok(Page { items: page.resource_templates, next: page.next_cursor })
        };
        self.inner.list(ListResourceTemplates::NAME, options, read).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// As [`read_resource_with`](Self::read_resource_with).
    ///
    /// # Cancel safety
    ///
    /// As [`read_resource_with`](Self::read_resource_with).
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ClientError> {
        self.read_resource_with(uri, CallOptions::default()).await
    }

    /// Reads a resource, which may give several contents, also of other identifiers than `uri`
    /// (C-216).
    ///
    /// # Errors
    ///
    /// As [`call`](Self::call). For a resource that is not there
    /// [`is_resource_not_found`](ClientError::is_resource_not_found) is true.
    ///
    /// # Cancel safety
    ///
    /// As [`call`](Self::call).
    pub async fn read_resource_with(
        &self,
        uri: &str,
        options: CallOptions,
    ) -> Result<ReadResourceResult, ClientError> {
        self.call::<ReadResource>(&ReadResourceParams::new(uri), options).await
    }
}
