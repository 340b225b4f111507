//! What a schema and a result may cost.

/// Bounds on schemas and on the results checked against them (C-208). Both come from a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SchemaLimits {
    /// The most bytes of a schema; 256 KiB. A longer one is refused unread.
    pub max_schema_bytes: usize,
    /// How deep the JSON of a schema may nest; 64. A deeper one is refused.
    pub max_nesting: usize,
    /// The most subschemas in a schema; 4096. One with more is refused.
    pub max_subschemas: usize,
    /// How many schemas may stand behind one another for one value, each reached from the one before by a
    /// reference or a combinator such as `anyOf`; 64. A schema with a longer chain is refused.
    pub max_chain: usize,
    /// The most bytes that one pattern may take when compiled; 1 MiB. A schema with a larger one is refused.
    pub max_pattern_bytes: usize,
    /// The most bytes of a structured result; 4 MiB. A longer one is an error, unread.
    pub max_result_bytes: usize,
    /// How deep checking may recurse, through the schema and the result together; 256. Where it would go
    /// deeper, the check is not begun. More needs more stack than threads have by default.
    pub max_depth: usize,
    /// The most steps that a check may take; 500 000. A step is about one subschema against one value. They are
    /// counted beforehand, for the worst case, and a check that could take more is not begun.
    pub max_steps: u64,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            max_schema_bytes: 256 << 10,
            max_nesting: 64,
            max_subschemas: 4096,
            max_chain: 64,
            max_pattern_bytes: 1 << 20,
            max_result_bytes: 4 << 20,
            max_depth: 256,
            max_steps: 500_000,
        }
    }
}
