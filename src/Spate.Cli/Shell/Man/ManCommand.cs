using System.CommandLine;
using System.CommandLine.Completions;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Shell.Man;

/// <summary><c>spate man</c>: writes the man pages, which are made from the help.</summary>
internal static class ManCommand
{
    /// <param name="root">The command that holds all others, read when the command runs.</param>
    public static Command Create(RootCommand root, Streams streams)
    {
        var command = new Command("man", "Print the man page of spate or of one of its commands.");
        var words = new Argument<string[]>("command")
        {
            HelpName = "COMMAND",
            Description = "The command, such as bench drain. Default: spate itself.",
            Arity = ArgumentArity.ZeroOrMore,
        };
        words.CompletionSources.Add(_ => ManPage.Visible(root).Select(static one => new CompletionItem(one.Name)));
        Option<string?> folder = OptionText.Create(
            "--to", "FOLDER", "Write all pages into this folder, such as ~/.local/share/man/man1.");
        command.Add(words);
        command.Add(folder);
        command.SetAction(parsed =>
        {
            string[] asked = parsed.GetValue(words) ?? [];
            IEnumerable<(string Path, string Text)> pages = PagesOf(root, "spate", []);
            if (parsed.GetValue(folder) is { } target) return WriteAll(pages, target, asked, folder, streams);

            string path = string.Join(' ', (string[])["spate", .. asked]);
            string? page = pages.FirstOrDefault(one => one.Path.Equals(path, StringComparison.Ordinal)).Text;
            streams.Output.Write(page ?? throw CommandException.WrongUse(
                $"'{string.Join(' ', asked)}' is not a command: spate --help lists them"));
            return ExitCode.Done;
        });
        ExampleHelp.AddTo(
            command,
            "spate man | man -l -                       read the page of spate",
            "spate man bench drain > spate-bench-drain.1",
            "spate man --to ~/.local/share/man/man1     then man spate-serve finds its page");
        return command;
    }

    private static IEnumerable<(string Path, string Text)> PagesOf(
        Command command, string path, IReadOnlyList<Option> inherited)
    {
        Option[] handedDown = [.. inherited, .. command.Options.Where(static option => option.Recursive)];
        IEnumerable<(string Path, string Text)> below =
            ManPage.Visible(command).SelectMany(child => PagesOf(child, $"{path} {child.Name}", handedDown));
        return below.Prepend((path, ManPage.Write(command, path, inherited)));
    }

    private static int WriteAll(
        IEnumerable<(string Path, string Text)> pages,
        string folder,
        string[] asked,
        Option<string?> option,
        Streams streams)
    {
        if (folder.Length == 0) throw OptionText.Wrong(option, folder, "a folder");
        if (asked.Length > 0) throw CommandException.WrongUse($"{option.Name} writes all pages: leave the command out");

        int count = 0;
        try
        {
            Directory.CreateDirectory(folder);
            foreach ((string path, string text) in pages)
            {
                File.WriteAllText(Path.Combine(folder, $"{ManPage.NameOf(path)}.1"), text);
                count++;
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw CommandException.Refused(
                $"the pages cannot be written: {fault.Message.TrimEnd('.')}", DocsAnchor.Output, fault);
        }

        streams.Notice($"{count} pages written to {folder}");
        return ExitCode.Done;
    }
}
