# Completions of mcp-cli for fish: mcp-cli completions fish | source
function __mcp_cli_names
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)
    set -l names (command mcp-cli complete-names fish -- $before "$current" 2>/dev/null </dev/null)
    if test (count $names) -gt 0
        printf '%s\n' $names
    else
        __fish_complete_path "$current"
    end
end
complete -c mcp-cli -f -a '(__mcp_cli_names)'
