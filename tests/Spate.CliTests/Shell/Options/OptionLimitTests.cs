using System.CommandLine;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using Spate.Cli;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests.Shell.Options;

/// <summary>
/// What the parser says that it takes, the program does: every option with a number, at the least and the most that its
/// own message names.
/// </summary>
public sealed partial class OptionLimitTests
{
    // Long enough to get under way; nothing depends on how far a run comes.
    private static readonly TimeSpan RunTime = TimeSpan.FromMilliseconds(100);

    private static readonly string[] Commands = ["send", "receive", "serve"];

    public static TheoryData<string, string> NumericOptions
    {
        get
        {
            var options = new TheoryData<string, string>();
            foreach (Command command in SpateCommand.Create(Silent()).Subcommands.Where(IsOurs))
            {
                foreach (Option option in command.Options.Where(IsNumeric))
                {
                    options.Add(command.Name, option.Name);
                }
            }

            return options;
        }
    }

    [Theory]
    [MemberData(nameof(NumericOptions))]
    public void Run_OptionAtItsStatedLimits_Runs(string command, string option)
    {
        string message = Run([command, .. WhereTo(command), option, "x"], expectedExitCode: 2);
        Match limits = Limits().Match(message);
        Assert.True(limits.Success, message);

        foreach (string limit in (string[])[limits.Groups["least"].Value, limits.Groups["most"].Value])
        {
            Run([command, .. WhereTo(command), option, limit, .. Companions(option)], expectedExitCode: 0);
        }
    }

    [Fact]
    public void NumericOptions_AllCommands_AreFound()
    {
        foreach (string command in Commands)
        {
            Assert.Contains(NumericOptions, row => row.Data == (command, "--count"));
            Assert.Contains(NumericOptions, row => row.Data == (command, "--buffer"));
        }
    }

    // What an option needs beside it to mean anything.
    private static string[] Companions(string option) => option switch
    {
        "--patience" => ["--once"],
        "--answers-per-peer" => ["--app", "echo"],
        "--wake-threshold" => ["--design", "adaptive", "--threads", "2"],
        _ => [],
    };

    private static string[] WhereTo(string command) =>
        [Socket.OSSupportsIPv6 && command is "send" ? "[::1]:9" : "127.0.0.1:" + (command is "send" ? "9" : "0")];

    private static string Run(string[] arguments, int expectedExitCode)
    {
        using var end = new CancellationTokenSource(RunTime);
        var error = new StringWriter();
        int exitCode = CommandLine.Run(
            arguments, new Streams { Output = TextWriter.Null, Error = error, OutputFailed = end.Token });

        Assert.True(exitCode == expectedExitCode, $"{string.Join(' ', arguments)}: {exitCode}, {error}");
        return error.ToString();
    }

    private static bool IsOurs(Command command) => Commands.Contains(command.Name, StringComparer.Ordinal);

    private static bool IsNumeric(Option option) => option.HelpName is { } name
        && name.Split('|').Any(static part => part is "N" or "S" or "SIZE");

    private static Streams Silent() => new() { Output = TextWriter.Null, Error = TextWriter.Null };

    [GeneratedRegex(
        "from (?<least>[0-9.]+) to (?<most>[0-9.]+G?)", RegexOptions.NonBacktracking | RegexOptions.ExplicitCapture)]
    private static partial Regex Limits();
}
