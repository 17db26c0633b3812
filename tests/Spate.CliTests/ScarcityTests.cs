using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Spate.CliTests;

/// <summary>What a user reads where the system gives too little, or the environment says something wrong.</summary>
public sealed class ScarcityTests
{
    private const string WrongBackend =
        "SPATE_BACKEND is \"foo\", expected portable, mmsg, uring, winsock, rio or automatic: set one of these or "
        + "unset it.";

    public static TheoryData<string> Commands { get; } =
    [
        "info", "receive 127.0.0.1:0", "send 127.0.0.1:9", "serve 127.0.0.1:0", "bench --quick", "bench drain --quick",
        "bench designs --quick", "bench sockets --quick", "bench sessions --quick", "bench pingpong", "bench relay",
    ];

    [Theory, MemberData(nameof(Commands))]
    public async Task Run_FewDescriptors_IsOneLineThatSaysWhatIsNeeded(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit is read from /proc");
        RequireLongUnless(command is "info");

        // Below some 60 the runtime itself may fail before it runs a line of the tool.
        ToolResult result = await FinishUnderLimitAsync(64, command);

        AssertRefused(result, "the limit of open files is 64, below 128: raise it with 'ulimit -n 1024'");
    }

    [Theory]
    [InlineData("send 127.0.0.1:9 --count 1000")]
    [InlineData("receive 127.0.0.1:0 --count 1")]
    public async Task Open_FewerDescriptorsThanFlows_CountsTheFlows(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sockets take no files elsewhere");

        ToolResult result = await FinishUnderLimitAsync(160, command + " --flows 200");

        string line = Assert.Single(result.ErrorLines);
        Match match = Regex.Match(
            line,
            "^spate: 200 flows need a socket each, and (?<opened>[0-9]+) could be opened: "
            + "at least (?<missing>[0-9]+) more files are needed. "
            + "The process is at its limit of 160 open files, .* raise the limit with 'ulimit -n",
            RegexOptions.ExplicitCapture,
            TimeSpan.FromSeconds(10));
        Assert.True(match.Success, line);
        Assert.Equal(200, match.Groups.Values.Skip(1).Sum(
            static number => int.Parse(number.Value, CultureInfo.InvariantCulture)));
        Assert.Equal(3, result.ExitCode);
    }

    [Theory, MemberData(nameof(Commands))]
    public async Task Run_LittleMemory_IsOneLineThatSaysWhatIsNeeded(string command)
    {
        RequireLongUnless(command is "bench drain --quick");
        ToolResult result = await RunWithAsync("DOTNET_GCHeapHardLimit", "800000", command);

        AssertRefused(result, "the heap limit is 8 MiB, below 32: raise DOTNET_GCHeapHardLimit");
    }

    [Fact]
    public async Task Run_TooLittleMemoryForABench_SaysSoInItsLastLine()
    {
        // One array of sessions is larger than the heap. What many small buffers need depends on when they are freed.
        ToolResult result = await RunWithAsync(
            "DOTNET_GCHeapHardLimit", "2000000", "bench sessions --peers 1m --size 64 --quick");

        Assert.Equal(3, result.ExitCode);
        Assert.StartsWith(
            "spate: not enough memory (heap limit 32 MiB)", result.ErrorLines[^1], StringComparison.Ordinal);
        Assert.DoesNotContain("Exception", result.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("receive 127.0.0.1:0")]
    [InlineData("serve 127.0.0.1:0")]
    [InlineData("send 127.0.0.1:9 --count 1")]
    public async Task Open_UnknownBackendInTheEnvironment_IsRefusedInOneLine(string command)
    {
        TestWidth.SkipUnlessLongOr(
            command is "receive 127.0.0.1:0", "the library reads the variable for every command");
        AssertRefused(await RunWithAsync("SPATE_BACKEND", "foo", command), WrongBackend);
    }

    [Fact]
    public async Task Info_UnknownBackendInTheEnvironment_SaysWhatEveryOpenSays()
    {
        string path = Path.GetTempFileName();
        try
        {
            ToolResult result = await RunWithAsync("SPATE_BACKEND", "foo", $"info --json {path}");

            Assert.Equal(0, result.ExitCode);
            Assert.Contains(
                $"default backend: none\n  {WrongBackend}\n", result.Output, StringComparison.Ordinal);
            using JsonDocument document = JsonDocument.Parse(
                await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
            Assert.Equal(JsonValueKind.Null, document.RootElement.GetProperty("backend").ValueKind);
            Assert.Equal(WrongBackend, document.RootElement.GetProperty("backendFault").GetString());
        }
        finally
        {
            File.Delete(path);
        }
    }

    // Program.cs looks before it parses any command, so one command shows what all do.
    private static void RequireLongUnless(bool isShown) =>
        TestWidth.SkipUnlessLongOr(isShown, "the check comes before the command line");

    private static async Task<ToolResult> RunWithAsync(string variable, string value, string command)
    {
        ProcessStartInfo start = ToolProcess.StartInfo(command.Split(' '));
        start.Environment[variable] = value;
        using Process process = ToolProcess.Start(start);
        return await ToolProcess.FinishAsync(process);
    }

    private static async Task<ToolResult> FinishUnderLimitAsync(int openFiles, string command)
    {
        ProcessStartInfo start = ToolProcess.StartInfoOf(
            "sh", "-c", $"ulimit -n {openFiles}; exec {ToolProcess.ShellWords} {command}");
        using Process process = ToolProcess.Start(start);
        return await ToolProcess.FinishAsync(process);
    }

    private static void AssertRefused(ToolResult result, string expected)
    {
        string line = Assert.Single(result.ErrorLines);
        Assert.StartsWith("spate: ", line, StringComparison.Ordinal);
        Assert.Contains(expected, line, StringComparison.Ordinal);
        Assert.Equal(3, result.ExitCode);
        Assert.Empty(result.Output);
    }
}
