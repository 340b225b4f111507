//! What both eras have alike: the lists, what is in resources and prompts, and completion.

use serde_json::{Value, json};

use super::caller::Caller;
use super::catalogue::{page, prompts, resources, tools};
use super::completion;
use super::message::Params;
use super::outcome::{Ended, INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError};
use super::world::World;

/// The result of a method that is answered at once; `None` if it is none of these.
pub(super) fn answer(
    world: &World,
    caller: &dyn Caller,
    method: &str,
    params: &Params,
) -> Option<Result<Value, Ended>> {
    let shelf = world.shelf();
    let list = |member, items| page(member, items, params.get("cursor"), world.page).map_err(Ended::from);
    Some(match method {
        "tools/list" => list("tools", tools::all(&shelf, caller.revision())),
        "resources/list" => list("resources", resources::all(&shelf)),
        "resources/templates/list" => list("resourceTemplates", resources::templates()),
        "resources/read" => read(world, caller, params).map_err(Ended::from),
        "prompts/list" => list("prompts", prompts::all(&shelf)),
        "prompts/get" => prompts::get(&shelf, caller, params),
        "completion/complete" => completion::complete(&shelf, params).map_err(Ended::from),
        _ => return None,
    })
}

fn read(world: &World, caller: &dyn Caller, params: &Params) -> Result<Value, RpcError> {
    let uri = uri(params)?;
    let contents = resources::read(&world.shelf(), uri);
    let contents = contents.ok_or_else(|| not_found(caller.revision().is_modern(), uri))?;
    Ok(json!({ "contents": [contents] }))
}

/// The resource that params are about.
pub(super) fn uri(params: &Params) -> Result<&str, RpcError> {
    let uri = params.get("uri").and_then(Value::as_str);
    uri.ok_or_else(|| RpcError::invalid("`uri` must be a string"))
}

pub(super) fn not_found(is_modern: bool, uri: &str) -> RpcError {
    let code = if is_modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
    RpcError::new(code, format!("Resource not found: {uri}")).with(json!({ "uri": uri }))
}
