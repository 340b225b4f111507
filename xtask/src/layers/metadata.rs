//! What `cargo metadata` tells of the workspace's packages.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;
use crate::workspace::cargo_at;

#[derive(Debug, Default)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
    /// What each feature switches on.
    pub(super) features: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// For tests, examples and benchmarks only.
    pub(super) dev: bool,
    pub(super) ours: bool,
    pub(super) features: Vec<String>,
}

pub(super) fn read(root: &Path) -> Result<Vec<Package>> {
    let text = process::output(cargo_at(root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    list(&metadata["packages"]).map(package).collect()
}

fn package(value: &Value) -> Result<Package> {
    let features = value["features"].as_object().context("a package without `features`")?;
    Ok(Package {
        name: text(&value["name"])?,
        dependencies: list(&value["dependencies"]).map(dependency).collect::<Result<_>>()?,
        features: features
            .iter()
            .map(|(name, parts)| Ok((name.clone(), list(parts).map(text).collect::<Result<_>>()?)))
            .collect::<Result<_>>()?,
    })
}

fn dependency(value: &Value) -> Result<Dependency> {
    Ok(Dependency {
        name: text(&value["name"])?,
        dev: value["kind"] == "dev",
        ours: value["path"].is_string(),
        features: list(&value["features"]).map(text).collect::<Result<_>>()?,
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Result<String> {
    Ok(value
        .as_str()
        .with_context(|| format!("`cargo metadata` has {value} where a text should be"))?
        .to_owned())
}
