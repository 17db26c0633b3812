using System.Text;

namespace Spate.Cli.Shell.Completion;

/// <summary>Writes the completion for fish.</summary>
internal static class FishCompletion
{
    public static string Write(CompletionNode root)
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
}
