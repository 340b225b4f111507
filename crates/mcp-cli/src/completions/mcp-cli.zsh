#compdef mcp-cli
# Completions of mcp-cli for zsh: source <(mcp-cli completions zsh), after compinit; or a file `_mcp-cli` in fpath
_mcp_cli() {
    local -a names
    names=("${(@f)$(command mcp-cli complete-names zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)words[CURRENT]}" \
        2>/dev/null </dev/null)}")
    names=("${(@)names:#}")
    if (( ${#names} )); then
        compadd -- "${names[@]}"
    else
        _files
    fi
}
if [[ "${funcstack[1]-}" == _mcp-cli ]]; then
    _mcp_cli "$@"
else
    compdef _mcp_cli mcp-cli
fi
