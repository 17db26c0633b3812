namespace Spate.Cli.Shell.Completion;

/// <summary>Writes the completion for PowerShell. It has not been run: no test has a PowerShell.</summary>
internal static class PwshCompletion
{
    public static string Write(CompletionNode root)
    {
        CompletionNode[] nodes = [.. root.All];
        IEnumerable<string> words = nodes.Select(static node => Row(node.Path, node.Words));
        IEnumerable<string> dashed = nodes.Select(
            static node => Row(node.Path, node.Options.SelectMany(static option => option.Names)));
        IEnumerable<string> chosen = root.ChosenOptions.Select(static one => Row(one.Words, one.Values));
        string free = List(root.FreeOptions);

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

    private static string Row(string key, IEnumerable<string> words) => $"        '{key}' = @({List(words)})";

    private static string List(IEnumerable<string> words) =>
        string.Join(", ", words.Select(static word => $"'{word}'"));
}
