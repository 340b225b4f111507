# Completions of mcp-cli for bash: source <(mcp-cli completions bash)
_mcp_cli() {
    COMPREPLY=()
    local name
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(command mcp-cli complete-names bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" \
        2>/dev/null </dev/null)
}
# Where there are no names, files are offered.
complete -o default -F _mcp_cli mcp-cli
