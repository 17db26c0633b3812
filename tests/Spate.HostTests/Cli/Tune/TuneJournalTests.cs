namespace Spate.HostTests.Cli.Tune;

/// <summary>
/// <c>spate tune --undo</c> with journals that something has damaged, in a network namespace whose setting a whole
/// journal takes back.
/// </summary>
public sealed class TuneJournalTests : IDisposable
{
    private const string Setting = "/proc/sys/net/core/optmem_max";
    private const int HugeChars = 2 << 20;

    private readonly OwnNetwork _network = OwnNetwork.Required();
    private readonly string _folder = Directory.CreateTempSubdirectory("spate-journal-").FullName;

    private string JournalPath => Path.Combine(_folder, "tune.json");

    public void Dispose()
    {
        _network.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Undo_WholeJournal_TakesBackAndRemovesIt()
    {
        ToolResult result = await UndoAsync(Journal());

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.EndsWith("1 of 1 undone\n4096\n", result.Output, StringComparison.Ordinal);
        Assert.False(File.Exists(JournalPath));
    }

    [Theory]
    [InlineData("truncated")]
    [InlineData("binary")]
    [InlineData("schema")]
    [InlineData("huge")]
    [InlineData("nothing")]
    [InlineData("no value")]
    public async Task Undo_DamagedJournal_SaysSoInOneLineAndTouchesNothing(string damage)
    {
        string whole = Journal();
        string damaged = damage switch
        {
            "truncated" => whole[..^20],
            "binary" => "\0\u0001\u001b[2J" + whole,
            "schema" => whole.Replace("spate-tune/1", "spate-tune/9", StringComparison.Ordinal),
            "huge" => whole + new string(' ', HugeChars),
            "no value" => whole.Replace("\"4096\"", "null", StringComparison.Ordinal),
            _ => "",
        };

        ToolResult result = await UndoAsync(damaged);

        Assert.Equal((3, "77777\n"), (result.ExitCode, result.Output));
        Assert.Contains(
            $"{JournalPath} is not a journal of spate tune",
            Assert.Single(result.ErrorLines),
            StringComparison.Ordinal);
        Assert.Equal(damaged, await File.ReadAllTextAsync(JournalPath, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Undo_JournalOfAnotherStart_TouchesNothing()
    {
        ToolResult result = await UndoAsync(Journal(boot: "c0ffee00-0000-0000-0000-000000000000"));

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.StartsWith("nothing to undo: ", result.Output, StringComparison.Ordinal);
        Assert.EndsWith("\n77777\n", result.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("sysctl kernel.core_pattern")]
    [InlineData("sysctl net/../kernel.core_pattern")]
    [InlineData("file proc/sys/net/core/optmem_max")]
    [InlineData("file sys/class/net/../../../proc/sys/net/core/optmem_max/tx_queue_len")]
    [InlineData("qdisc -x")]
    public async Task Undo_SettingThatIsNeverSet_IsLeftAloneAndNamed(string identity)
    {
        ToolResult result = await UndoAsync(Journal(setting: identity));

        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        Assert.Contains("never sets", result.Output, StringComparison.Ordinal);
        Assert.EndsWith("0 of 1 undone, 1 left alone\n77777\n", result.Output, StringComparison.Ordinal);
    }

    private static string Journal(string? boot = null, string setting = "sysctl net.core.optmem_max")
    {
        const string BootPath = "/proc/sys/kernel/random/boot_id";
        string id = boot ?? (File.Exists(BootPath) ? File.ReadAllText(BootPath).Trim() : "none");
        return $$"""
            {"schema": "spate-tune/1", "bootId": "{{id}}",
             "changes": [{"setting": "{{setting}}", "from": "4096", "to": "77777"}]}
            """;
    }

    // The value of the setting after the command follows the output.
    private async Task<ToolResult> UndoAsync(string journal)
    {
        Exception? refused = _network.Namespace.Enter(
            static () => Record.Exception(static () => File.WriteAllText(Setting, "77777")));
        Assert.SkipUnless(refused is null, $"namespaces before Linux 6.8 have no {Setting}: {refused?.Message}");
        await File.WriteAllTextAsync(JournalPath, journal, TestContext.Current.CancellationToken);

        ToolResult result = await _network.RunAsync("tune", "--undo", "--journal", JournalPath);

        string after = _network.Namespace.Enter(static () => File.ReadAllText(Setting));
        return result with { Output = result.Output + after };
    }
}
