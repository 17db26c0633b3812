using System.Text;

namespace Spate.Cli.Shell.Completion;

/// <summary>The script of each shell. The shells share only the lists of <see cref="CompletionNode"/>.</summary>
internal static class CompletionScripts
{
    /// <summary>For bash, which needs no package bash-completion.</summary>
    public static string Bash(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        string commands = Quoted(nodes.Skip(1).Select(static node => node.Path), " | ");
        string free = Quoted(root.FreeOptions, " | ");
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

    public static string Fish(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        string commands = string.Join(' ', nodes.Skip(1).Select(static node => Quote(node.Path)));
        var text = new StringBuilder($$"""
            # Completion of spate for fish, written by: spate completion fish
            # For this shell: spate completion fish | source. For all: put it into the folder
            # ~/.config/fish/completions under the name spate.fish.
            function __spate_command
                set -l command_words spate
                for word in (commandline -opc)
                    if contains -- "$command_words $word" {{commands}}
                        set command_words "$command_words $word"
                    end
                end
                echo $command_words
            end

            """);
        foreach (CompletionNode node in nodes) Append(text, node);
        return text.ToString().TrimEnd();
    }

    private static void Append(StringBuilder text, CompletionNode node)
    {
        string start = $"complete -c spate -n \"test (__spate_command) = '{node.Path}'\"";

        // Files are offered where the argument is free.
        if (node.Words.Any()) text.Append(start).Append(" -f\n");
        foreach (CompletionNode child in node.Children)
        {
            text.Append(start).Append($" -a {child.Name} -d {Quote(child.Description)}\n");
        }

        if (node.Values.Count > 0) text.Append(start).Append($" -a {Quote(string.Join(' ', node.Values))}\n");
        foreach (CompletionOption option in node.Options)
        {
            text.Append(start);
            foreach (string name in option.Names)
            {
                text.Append(name.StartsWith("--", StringComparison.Ordinal) ? $" -l {name[2..]}" : $" -s {name[1..]}");
            }

            if (option.Values.Count > 0) text.Append($" -x -a {Quote(string.Join(' ', option.Values))}");
            else if (option.NeedsValue) text.Append(" -r");
            if (option.Description.Length > 0) text.Append($" -d {Quote(option.Description)}");
            text.Append('\n');
        }
    }

    private static string Quote(string text) =>
        $"'{text.Replace(@"\", @"\\", StringComparison.Ordinal).Replace("'", @"\'", StringComparison.Ordinal)}'";

    /// <summary>For PowerShell. It has not been run: no test has a PowerShell.</summary>
    public static string Pwsh(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        IEnumerable<string> words = nodes.Select(static node => Row(node.Path, node.Words));
        IEnumerable<string> dashed = nodes.Select(
            static node => Row(node.Path, node.Options.SelectMany(static option => option.Names)));
        IEnumerable<string> chosen = root.ChosenOptions.Select(static one => Row(one.Words, one.Values));
        string free = Quoted(root.FreeOptions, ", ");

        // Names are compared with their case, by -ccontains: -r and -R are different options. The words that are looked
        // at end before the one at the cursor.
        return $$"""
            # Completion of spate for PowerShell, written by: spate completion pwsh
            # It has not yet been run by those who wrote it. For this shell:
            #   spate completion pwsh | Out-String | Invoke-Expression
            Register-ArgumentCompleter -Native -CommandName spate -ScriptBlock {
                param($wordToComplete, $commandAst, $cursorPosition)
                $words = @{
            {{string.Join('\n', words)}}
                }
                $options = @{
            {{string.Join('\n', dashed)}}
                }
                $values = @{
            {{string.Join('\n', chosen)}}
                }
                $free = @({{free}})
                $command = 'spate'
                $before = ''
                foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
                    if ($element.Extent.StartOffset + $wordToComplete.Length -ge $cursorPosition) { break }
                    $before = $element.Extent.Text
                    if ($words.ContainsKey("$command $before")) { $command = "$command $before" }
                }
                if ($free -ccontains "$command $before") { return }
                $found = $words[$command]
                if ($found.Count -eq 0 -or $wordToComplete.StartsWith('-')) { $found = $options[$command] }
                if ($values.ContainsKey("$command $before")) { $found = $values["$command $before"] }
                $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
                }
            }
            """;
    }

    private static string Row(string key, IEnumerable<string> words) => $"        '{key}' = @({Quoted(words, ", ")})";

    public static string Zsh(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        string commands = Quoted(nodes.Skip(1).Select(static node => node.Path), "|");
        string free = Quoted(root.FreeOptions, "|");
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

    private static string Quoted(IEnumerable<string> words, string separator) =>
        string.Join(separator, words.Select(static word => $"'{word}'"));
}
