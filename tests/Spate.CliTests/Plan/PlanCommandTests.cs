using System.Globalization;
using System.Text.Json;
using Spate.HostTuning.Reading;

namespace Spate.CliTests.Plan;

public sealed class PlanCommandTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Plan_FromAReport_HasMachinesBufferAndCost()
    {
        ToolResult result = await Tool.RunAsync(
            "plan", "--per-day", "45m", "--peak", "1000", "--stall", "200ms", "--cost-per-month", "15.73", Drain());

        Assert.True(result.ExitCode == 0, result.Error);
        foreach (string expected in (string[])
        [
            "45,000,000 datagrams of 200 bytes per day",
            "average   521 datagrams per second",
            "peak      1,000 datagrams in the busiest second, 1.60 Mbit/s of payload",
            "measured  a machine can receive 1,666,667 datagrams per second on one thread, 600.0 ns of CPU time each "
                + "(drain, spate-mmsg)",
            "headroom  one machine can receive 1,667 times the peak",
            "CPU       0.03 % of one CPU on average, 0.06 % at the peak; at the peak 0.03 % of the 2 CPUs "
                + "of a machine",
            "buffer    200 datagrams in a pause of 0.2 s, charged 2,304 bytes each: --buffer 230400, which Linux "
                + "doubles to 460,800 bytes",
            "machines  2: 1 for the peak, and one more that may fail",
            "cost      31.46 per month for the 2 machines, 0.0230 per million datagrams",
        ])
        {
            Assert.Contains(expected, LinesOf(result), StringComparer.Ordinal);
        }

        if (BufferLimits.Read().ReceiveMaximumBytes is { } limit)
        {
            string here = limit.ToString("#,0", CultureInfo.InvariantCulture);
            string line = Assert.Single(
                LinesOf(result), one => one.StartsWith("- net.core.rmem_max is ", StringComparison.Ordinal));
            Assert.Matches($@"on this host (it is )?\(?{here}\), or", line);
        }
    }

    [Theory]
    [InlineData("--per-day 1", "average   1 datagram per day, under 0.1 per second")]
    [InlineData("--per-day 1", "peak      1 datagram in the busiest second, 1.60 kbit/s of payload")]
    [InlineData("--per-day 1 --stall 0", "buffer    0 datagrams in a pause of 0 s, charged 2,304 bytes each: "
        + "the system's default buffer holds them")]
    [InlineData("--per-day 45m --peak 1000 --stall 3600s", "buffer    3,600,000 datagrams in a pause of 3600 s, "
        + "charged 2,304 bytes each: more than any socket can hold")]
    [InlineData("--per-day 45m --stall 200us", "buffer    1 datagram in a pause of 0.0002 s, charged 2,304 bytes "
        + "each: the system's default buffer holds them")]
    [InlineData("--per-day 45m --cost-per-month 0.001",
        "cost      0.002 per month for the 2 machines, 0.0000 per million datagrams")]
    [InlineData("--per-day 1000000g", "headroom  none: the peak is 13,889 times what one machine can receive")]
    public async Task Plan_LoadBeyondTheUsual_IsReadable(string arguments, string expected)
    {
        ToolResult result = await Tool.RunAsync(["plan", .. arguments.Split(' '), Drain()]);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains(expected, LinesOf(result), StringComparer.Ordinal);
    }

    [Fact]
    public async Task Plan_FromGsoMessages_IsALowerBound()
    {
        string path = Write("coalesced.json", """
            {
              "schema": "spate/1", "kind": "receive", "cpus": 2, "offloads": ["gro"], "calls": 1000, "seconds": 1,
              "sizeBytes": 200, "datagrams": 336000, "threads": [{ "cpuNanoseconds": 70560000 }]
            }
            """);

        ToolResult result = await Tool.RunAsync("plan", "--per-day", "45m", "--peak", "1000", path);

        Assert.True(result.ExitCode == 0, result.Error);
        foreach (string expected in (string[])
        [
            "measured  a machine can receive 4,761,905 datagrams per second on one thread, 210.0 ns of CPU time each "
                + "(receive, coalesced)",
            "headroom  one machine can receive at most 4,762 times the peak",
            "CPU       0.01 % of one CPU on average, 0.02 % at the peak; at the peak 0.01 % of the 2 CPUs of a "
                + "machine; more for uncoalesced datagrams",
            "machines  at least 2: 1 for the peak, and one more that may fail",
        ])
        {
            Assert.Contains(expected, LinesOf(result), StringComparer.Ordinal);
        }

        Assert.Contains(
            "- datagrams arrive coalesced, as they may have in the measurement (gro, 336.0 datagrams per call)",
            result.Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Plan_FromAnInterruptedBench_SaysSoToPeopleAndPrograms()
    {
        string path = Write("cut.json", (await File.ReadAllTextAsync(Drain(), TestContext.Current.CancellationToken))
            .Replace("\"cpus\"", "\"interrupted\": true, \"rounds\": 2, \"cpus\"", StringComparison.Ordinal));

        ToolResult result = await Tool.RunAsync("plan", "--per-day", "1", "--json", "-", path);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Equal(
            "spate: interrupted: the plan uses the completed rounds", Assert.Single(result.ErrorLines));
        using JsonDocument json = JsonDocument.Parse(result.Output);
        Assert.True(json.RootElement.GetProperty("interrupted").GetBoolean());
    }

    [Theory]
    [InlineData("", "is not a report: it is empty")]
    [InlineData("{", "is not a report: line 1 is not JSON")]
    [InlineData("""{"schema":"spate/1","kind":"drain","rows":[null]}""", "is not a report: a list in line 1 has")]
    [InlineData("""{"schema":"spate/1","kind":"drain\u001b"}""", "is not a report: the kind is \"drain\\u001b\"")]
    [InlineData("""{"schema":"spate/1","kind":"drain"}""", "cannot be used for planning: the report of kind drain")]
    [InlineData(
        """{"schema":"spate/1","kind":"designs"}""", "cannot be used for planning: a report of kind designs does not")]
    public async Task Plan_FileOfSomethingElse_IsOneClearLineThatNamesTheFile(string content, string expected)
    {
        string path = Path.Combine(_folder.FullName, "other.json");
        await File.WriteAllTextAsync(path, content, TestContext.Current.CancellationToken);

        ToolResult result = await Tool.RunAsync("plan", "--per-day", "1", path);

        Assert.Equal(2, result.ExitCode);
        Assert.StartsWith($"spate: '{path}' {expected}", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Plan_WithoutAReport_MeasuresThisMachine()
    {
        ToolResult result = await Tool.RunAsync("plan", "--per-day", "45m", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument json = JsonDocument.Parse(result.Output);
        JsonElement basis = json.RootElement.GetProperty("basis");
        Assert.StartsWith("bench, spate-", basis.GetProperty("source").GetString(), StringComparison.Ordinal);
        Assert.Equal(200, basis.GetProperty("sizeBytes").GetInt32());
        Assert.True(basis.GetProperty("capacityPerSecond").GetDouble() > 0);
    }

    [Theory]
    [InlineData(2, "--per-day is missing: expected datagrams per day such as 45m", "")]
    [InlineData(2, "--per-day '0' is wrong", "--per-day 0")]
    [InlineData(2, "--peak 10 is below the average of 521 per second", "--per-day 45m --peak 10")]
    [InlineData(2, "--cost-per-month 'x' is wrong: expected a number from 0", "--per-day 1 --cost-per-month x")]
    [InlineData(
        2, "--max-load '0.5' is wrong: expected a number from 1 to 100 such as 50", "--per-day 1 --max-load 0.5")]
    [InlineData(2, "--per-day '1.5m' is wrong: expected a whole number from 1", "--per-day 1.5m")]
    [InlineData(2, "--stall 'long' is wrong: expected 0, or seconds", "--per-day 1 --stall long")]
    [InlineData(3, "cannot read the report 'there-is-none.json'", "--per-day 1 there-is-none.json")]
    public async Task Plan_WrongUse_IsOneClearLine(int exitCode, string expected, string arguments)
    {
        ToolResult result = await Tool.RunAsync(
            ["plan", .. arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    private static string[] LinesOf(ToolResult result) => result.Output.Split('\n');

    private string Drain() => Write("drain.json", """
        {
          "schema": "spate/1", "kind": "drain", "cpus": 2,
          "rows": [{ "name": "spate-mmsg", "sizeBytes": 200, "receiveNanosecondsPerDatagram": 600,
            "sendNanosecondsPerDatagram": 3000, "samples": [600] }]
        }
        """);

    private string Write(string name, string content)
    {
        string path = Path.Combine(_folder.FullName, name);
        File.WriteAllText(path, content);
        return path;
    }
}
