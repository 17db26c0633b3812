using System.Diagnostics;
using System.Text.Json;
using Spate.HostTests.Cli.Doctor;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.HostTests.Cli.Tune;

/// <summary>
/// <c>spate tune --measure</c> on the real host, with a small <c>net.core.rmem_max</c>; what it was is restored.
/// </summary>
[QuietHost("it changes a setting of the host, which spate tune measures")]
public sealed class TuneMeasureTests : IDisposable
{
    private const string LimitPath = "/proc/sys/net/core/rmem_max";
    private const string SmallLimit = "212992\n";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly string _folder = Directory.CreateTempSubdirectory("spate-tune-").FullName;
    private readonly string? _before;

    public TuneMeasureTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "settings are measured on Linux");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "settings need root");
        string before = File.ReadAllText(LimitPath);
        try
        {
            File.WriteAllText(LimitPath, SmallLimit);
            _before = before;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            Assert.Skip($"{LimitPath} cannot be set here");
        }
    }

    private string Journal => Path.Combine(_folder, "tune.json");

    public void Dispose()
    {
        if (_before is not null) File.WriteAllText(LimitPath, _before);
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Doctor_SmallReceiveLimitAndNoPrivileges_NamesItFirst()
    {
        using var copy = new ReadableTool();
        using Process process = ToolProcess.Start(copy.StartInfo("doctor", "--seconds", "0.1", "--json", "-"));
        ToolResult result = await ToolProcess.FinishAsync(process);

        ReadableTool.SkipIfItCannotRun(result);
        Assert.True(result.ExitCode == 0, result.Error);
        using var report = JsonDocument.Parse(result.Output);

        // Neither CPU time that the hypervisor takes just then nor a loss of another program is a limit of the host.
        // Both rightly come before all limits.
        JsonElement first = report.RootElement.GetProperty("checks").EnumerateArray()
            .First(static check => check.GetProperty("id").GetString() is not ("steal" or "socket-drops"));
        Assert.Equal("rmem-max", first.GetProperty("id").GetString());
        Assert.Equal("advice", first.GetProperty("status").GetString());
    }

    [Fact]
    public async Task Measure_SmallReceiveLimit_IsTriedAndTheHostIsAsBeforeToTheByte()
    {
        string[] arguments = Trials("0.2", "--json", "-");
        using Process process = ToolProcess.Start(
            TestWidth.IsLong ? ToolProcess.StartInfo(arguments) : OnOneCpu(arguments));
        ToolResult result = await ToolProcess.FinishAsync(process);

        Assert.Equal(SmallLimit, File.ReadAllText(LimitPath));
        Assert.False(File.Exists(Journal));
        Assert.True(result.ExitCode == 0, result.Error);
        using var report = JsonDocument.Parse(result.Output);
        Assert.Equal("measure", report.RootElement.GetProperty("action").GetString());
        JsonElement trial = report.RootElement.GetProperty("trials").EnumerateArray()
            .First(static one => one.GetProperty("check").GetString() is "rmem-max");
        Assert.Equal("212992", trial.GetProperty("from").GetString());
        Assert.Equal(5, trial.GetProperty("samples").GetInt32());
        Assert.Matches("^(helps|no difference shown|looks worse)$", trial.GetProperty("verdict").GetString());
        Assert.Contains("without forced buffers", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Measure_StoppedInATrial_TakesItBack()
    {
        await using RunningTool tool = Tool.Start(Trials("0.2"));
        WaitForTrial(() => tool.Ended.IsCompleted);

        tool.Stop();
        ToolResult result = await tool.FinishAsync();

        Assert.NotEqual(0, result.ExitCode);
        Assert.Contains("interrupted: no change was kept", result.Error, StringComparison.Ordinal);
        Assert.Equal(SmallLimit, File.ReadAllText(LimitPath));
        Assert.False(File.Exists(Journal));
    }

    [Theory]
    [InlineData("--rate needs --measure", "--rate", "10k")]
    [InlineData("--to needs --rate", "--measure", "--to", "127.0.0.1")]
    [InlineData("--to and --namespaces exclude each other", "--measure", "--to", "127.0.0.1", "--namespaces")]
    [InlineData("--measure and --undo exclude each other", "--measure", "--undo")]
    [InlineData("--repeat", "--measure", "--repeat", "4")]
    [InlineData("from 0.2 to 60,", "--measure", "--trial-seconds", "0.1")]
    [InlineData("from 0.2 to 60,", "--measure", "--trial-seconds", "61")]
    public async Task Measure_WrongUse_IsRefusedBeforeAnythingIsMeasured(string expected, params string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(["tune", .. arguments, "--seconds", "600", "--journal", Journal]);

        Assert.Equal(2, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Measure_NamespacesAndStopped_RemovesThem()
    {
        // The process that measures starts the tool for both ends.
        using Process process = ToolProcess.Start(ToolProcess.StartInfo(Trials("1", "--namespaces")), count: 3);
        string path = $"/run/netns/spate-{process.Id}-server";
        SpinWait.SpinUntil(() => process.HasExited || File.Exists(path), Patience);
        bool wasThere = File.Exists(path);

        using var kill = Process.Start("kill", ["-TERM", $"{process.Id}"]);
        ToolResult result = await ToolProcess.FinishAsync(process);

        Assert.SkipUnless(wasThere, $"no namespace can be made here: {result.Error}");
        Assert.Contains("interrupted: no change was kept", result.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(path), path);
        Assert.False(File.Exists($"/run/netns/spate-{process.Id}-client"), "the client's namespace is left");
        Assert.Equal(SmallLimit, File.ReadAllText(LimitPath));
    }

    [Fact]
    public async Task Undo_AfterAKillInATrial_RestoresTheHost()
    {
        using Process process = ToolProcess.Start(OnOneCpu(Trials("0.5")));
        WaitForTrial(() => process.HasExited);
        process.Kill();
        await ToolProcess.FinishAsync(process);
        Assert.NotEqual(SmallLimit, File.ReadAllText(LimitPath), StringComparer.Ordinal);

        ToolResult again = await Tool.RunAsync("tune", "--measure", "--seconds", "0.1", "--journal", Journal);
        ToolResult undone = await Tool.RunAsync("tune", "--undo", "--journal", Journal);

        Assert.Contains("undo them with spate tune --undo", again.Error, StringComparison.Ordinal);
        Assert.True(undone.ExitCode == 0, undone.Error);
        Assert.Equal(SmallLimit, File.ReadAllText(LimitPath));
        Assert.False(File.Exists(Journal));
    }

    private string[] Trials(string seconds, params string[] more) =>
    [
        "tune", "--measure", "--seconds", "0.1", "--trial-seconds", seconds, "--repeat", "5", "--rate", "10k",
        "--journal", Journal, .. more,
    ];

    // A process that may use one CPU has no placements to try, which are most of the candidates.
    private static ProcessStartInfo OnOneCpu(string[] arguments) =>
        ToolProcess.StartInfoThrough(["taskset", "-c", $"{CpuFacts.Read().UsableNumbers[0]}"], arguments);

    // The kernel tells nobody that a setting was changed.
    private static void WaitForTrial(Func<bool> hasEnded) => Assert.True(
        SpinWait.SpinUntil(() => hasEnded() || File.ReadAllText(LimitPath) is not SmallLimit, Patience) && !hasEnded(),
        "No trial changed the limit.");
}
