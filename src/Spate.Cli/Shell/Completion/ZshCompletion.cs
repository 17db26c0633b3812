namespace Spate.Cli.Shell.Completion;

/// <summary>Writes the completion for zsh.</summary>
internal static class ZshCompletion
{
    public static string Write(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        string commands = Patterns(nodes.Skip(1).Select(static node => node.Path));
        string free = Patterns(root.FreeOptions);
        IEnumerable<string> chosen = root.ChosenOptions.Select(static one =>
            $"        ('{one.Words}') compadd -- {string.Join(' ', one.Values)}; return ;;");
        return $$"""
            #compdef spate
            # Completion of spate for zsh, written by: spate completion zsh
            # For this shell, after compinit: source <(spate completion zsh). For all: put it into a folder of $fpath
            # under the name _spate.
            _spate() {
                local command=spate before=${words[CURRENT - 1]} i
                local -a words_here options_here
                for ((i = 2; i < CURRENT; i++)); do
                    case "$command ${words[i]}" in
                        ({{commands}}) command+=" ${words[i]}" ;;
                    esac
                done
                if [[ ${words[CURRENT]} == --*=* ]]; then
                    before=${words[CURRENT]%%=*}
                    compset -P '*='
                fi
                case "$command $before" in
                    ({{free}}) _files; return ;;
            {{string.Join('\n', chosen)}}
                esac
                case "$command" in
            {{string.Join('\n', nodes.Select(Items))}}
                esac
                if [[ ${words[CURRENT]} == -* ]]; then _describe -o option options_here
                elif (( $#words_here )); then _describe word words_here
                else
                    _describe -o option options_here
                    _files
                fi
            }
            if [[ ${funcstack[1]} == _spate ]]; then _spate "$@"; else compdef _spate spate; fi
            """;
    }

    private static string Items(CompletionNode node)
    {
        IEnumerable<string> words = node.Children.Select(static child => Item(child.Name, child.Description))
            .Concat(node.Values.Select(static value => Item(value, "")));
        IEnumerable<string> options = node.Options.SelectMany(
            static option => option.Names.Select(name => Item(name, option.Description)));
        return $"""
                    ('{node.Path}')
                        words_here=({string.Join(' ', words)})
                        options_here=({string.Join(' ', options)}) ;;
            """;
    }

    private static string Item(string name, string description)
    {
        string text = description.Length == 0 ? name : $"{name}:{description}";
        return $"'{text.Replace("'", @"'\''", StringComparison.Ordinal)}'";
    }

    private static string Patterns(IEnumerable<string> words) =>
        string.Join('|', words.Select(static word => $"'{word}'"));
}
