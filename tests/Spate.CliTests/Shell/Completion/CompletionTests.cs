using System.Diagnostics;

namespace Spate.CliTests.Shell.Completion;

/// <summary>The scripts of <c>spate completion</c>, run by the shells they are for.</summary>
public sealed class CompletionTests
{
    private const string Bash = """
        source "$1"; shift
        for line in "$@"; do
            COMP_WORDS=(${line//=/ = }); [[ $line == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _spate; echo "${COMPREPLY[*]}"
        done
        """;

    // The functions of zsh's own completion, which shows and filters what it is given, print it here.
    private const string Zsh = """
        compdef() { }
        _describe() { local name=${@[-1]}; local -a items=(${(P)name}); print -r -- ${items%%:*} }
        _files() { print FILES }
        compadd() { shift; print -r -- $@ }
        source $1; shift
        for line in "$@"; do
            words=(${(z)line}); [[ $line == *' ' ]] && words+=('')
            CURRENT=$#words
            _spate
        done
        """;

    private const string Fish = """
        source $argv[1]
        for line in $argv[2..-1]
            echo (complete -C $line | string replace -r '\t.*' '')
        end
        """;

    private static readonly (string Line, string Words)[] Cases =
    [
        ("spate se", "send serve"),
        ("spate bench dr", "drain"),
        ("spate bench drain --qui", "--quick"),
        ("spate serve --app ", "count discard echo relay"),
        ("spate serve --design rin", "ring"),
        ("spate serve --once --wait ", "adaptive automatic blocking spinning"),
        ("spate serve --steering flow", "flow-hash"),
        ("spate send localhost --pace ", "sleep spin txtime"),
        ("spate receive --backend u", "uring"),
        ("spate doctor --profile lat", "latency"),
        ("spate iperf3 --backend m", "mmsg"),
        ("spate iperf3 -c host --bitr", "--bitrate"),
        ("spate iperf2 --dual", "--dualtest"),
        ("spate --no-color info --no-c", "--no-color"),
        ("spate man ben", "bench"),
        ("spate completion ", "bash fish pwsh zsh"),
    ];

    [Fact]
    public async Task Bash_EachLine_CompletesItsWordsAndNoOthers()
    {
        // Bash alone takes "=" for a word of its own. Where a command has no words, options come next; the last option
        // is free, and the names of files are left to bash.
        (string Line, string Words)[] cases =
        [
            .. Cases,
            ("spate serve --app=e", "echo"),
            ("spate info ", "--json --fail-if --help -h --no-color"),
            ("spate info --json ", ""),
        ];

        string[] found = await CompleteAsync(cases, "bash", "-c", Bash);

        Assert.All(cases.Zip(found), static one => Assert.Equal(one.First.Words, one.Second));
    }

    [Theory]
    [InlineData("zsh", "-fc", Zsh)]
    [InlineData("fish", "-c", Fish)]
    public async Task OtherShell_EachLine_OffersItsWords(string shell, string option, string program)
    {
        string[] found = await CompleteAsync(Cases, shell, option, program);

        Assert.All(Cases.Zip(found), static one => Assert.Subset(
            one.Second.Split(' ').ToHashSet(StringComparer.Ordinal),
            one.First.Words.Split(' ').ToHashSet(StringComparer.Ordinal)));
    }

    [Fact]
    public async Task Pwsh_Script_NamesCommandsAndValues()
    {
        ToolResult result = await Tool.RunAsync("completion", "pwsh");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("'spate bench' = @('drain', ", result.Output, StringComparison.Ordinal);
        Assert.Contains(
            "'spate serve --app' = @('count', 'discard', 'echo', 'relay')", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Shell_Unknown_IsOneLine()
    {
        ToolResult result = await Tool.RunAsync("completion", "tcsh");

        Assert.Equal(2, result.ExitCode);
        Assert.Contains("expected bash, zsh, fish or pwsh", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    /// <summary>Runs a program of a shell with the script's file and the lines; it prints one line for each.</summary>
    private static async Task<string[]> CompleteAsync(
        (string Line, string Words)[] cases, string shell, string option, string program)
    {
        Programs.Require(shell, shell);
        ToolResult script = await Tool.RunAsync("completion", shell);
        Assert.Equal(0, script.ExitCode);
        string file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, script.Output, TestContext.Current.CancellationToken);
            string[] name = shell is "fish" ? [] : [shell];
            ProcessStartInfo start = ToolProcess.StartInfoOf(
                [shell, option, program, .. name, file, .. cases.Select(static one => one.Line)]);
            using Process process = Process.Start(start)!;
            ToolResult result = await ToolProcess.FinishAsync(process);
            Assert.Equal("", result.Error);
            string[] lines = result.Output[..^1].Split('\n');
            Assert.Equal(cases.Length, lines.Length);
            return lines;
        }
        finally
        {
            File.Delete(file);
        }
    }
}
