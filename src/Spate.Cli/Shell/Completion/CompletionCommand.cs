using System.CommandLine;
using System.CommandLine.Completions;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Shell.Completion;

/// <summary><c>spate completion</c>: writes the script by which a shell completes commands and options.</summary>
internal static class CompletionCommand
{
    private const string Expected = "bash, zsh, fish or pwsh";

    private static readonly string[] Shells = ["bash", "zsh", "fish", "pwsh"];

    /// <param name="root">The command that holds all others, read when the command runs.</param>
    public static Command Create(RootCommand root, Streams streams)
    {
        var command = new Command("completion", "Print the completion script for a shell.");
        var shell = new Argument<string>("shell")
        {
            HelpName = "SHELL",
            Description = $"The shell: {Expected}. The script for pwsh is untested.",
        };
        shell.CompletionSources.Add(static _ => Shells.Select(static name => new CompletionItem(name)));
        command.Add(shell);
        command.SetAction(parsed =>
        {
            streams.Output.WriteLine(Write(parsed.GetValue(shell)!, CompletionTree.Of(root)));
            return ExitCode.Done;
        });
        ExampleHelp.AddTo(
            command,
            "spate completion bash > ~/.local/share/bash-completion/completions/spate",
            "spate completion zsh > ~/.zfunc/_spate     with ~/.zfunc in fpath",
            "spate completion fish > ~/.config/fish/completions/spate.fish");
        return command;
    }

    private static string Write(string shell, CompletionNode root) => shell switch
    {
        "bash" => CompletionScripts.Bash(root),
        "zsh" => CompletionScripts.Zsh(root),
        "fish" => CompletionScripts.Fish(root),
        "pwsh" => CompletionScripts.Pwsh(root),
        _ => throw CommandException.WrongUse($"unsupported shell '{shell}': expected {Expected}"),
    };
}
