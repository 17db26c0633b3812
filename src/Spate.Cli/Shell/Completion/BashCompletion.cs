namespace Spate.Cli.Shell.Completion;

/// <summary>Writes the completion for bash, which needs no package bash-completion.</summary>
internal static class BashCompletion
{
    public static string Write(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        string commands = Patterns(nodes.Skip(1).Select(static node => node.Path));
        string free = Patterns(root.FreeOptions);
        IEnumerable<string> chosen = root.ChosenOptions.Select(static one =>
            $"        '{one.Words}') words='{string.Join(' ', one.Values)}' ;;");
        IEnumerable<string> words = nodes.Select(static node =>
            $"                '{node.Path}') words='{string.Join(' ', node.Words)}' options='{OptionsOf(node)}' ;;");

        // What has no words falls back to the names of files (-o default). The loop finds the command, whatever stands
        // between its words; the word before the cursor may be an option that wants a value. To bash a "=" is a word.
        return $$"""
            # Completion of spate for bash, written by: spate completion bash
            # For this shell: source <(spate completion bash). For all: put it into the folder
            # ~/.local/share/bash-completion/completions under the name spate.
            _spate() {
                local IFS=$' \t\n' command=spate words='' options='' word=${COMP_WORDS[COMP_CWORD]} i
                local before=${COMP_WORDS[COMP_CWORD - 1]}
                [[ $word == '=' ]] && word=''
                [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$command ${COMP_WORDS[i]}" in
                        {{commands}}) command+=" ${COMP_WORDS[i]}" ;;
                    esac
                done
                COMPREPLY=()
                case "$command $before" in
                    {{free}}) return ;;
            {{string.Join('\n', chosen)}}
                    *)
                        case "$command" in
            {{string.Join('\n', words)}}
                        esac
                        [[ $word == -* || -z $words ]] && words=$options ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o default -F _spate spate
            """;
    }

    private static string OptionsOf(CompletionNode node) =>
        string.Join(' ', node.Options.SelectMany(static option => option.Names));

    private static string Patterns(IEnumerable<string> words) =>
        string.Join(" | ", words.Select(static word => $"'{word}'"));
}
