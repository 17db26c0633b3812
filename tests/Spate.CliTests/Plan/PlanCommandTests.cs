using System.Text.Json;

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
        Assert.Contains("521 a second", result.Output, StringComparison.Ordinal);
        Assert.Contains("1 for the peak, 2 so that one may fail", result.Output, StringComparison.Ordinal);
        Assert.Contains("--buffer 230400", result.Output, StringComparison.Ordinal);
        Assert.Contains("31.46 a month, 0.0230 a million datagrams", result.Output, StringComparison.Ordinal);
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
    [InlineData(2, "--per-day is needed: the datagrams a day, such as 45m", "")]
    [InlineData(2, "--per-day '0' is wrong", "--per-day 0")]
    [InlineData(2, "--peak 10 is below the average of 521 a second", "--per-day 45m --peak 10")]
    [InlineData(2, "--cost-per-month 'x' is wrong: expected a number from 0", "--per-day 1 --cost-per-month x")]
    [InlineData(2, "--max-load '0' is wrong: expected a number from 1 to 100", "--per-day 1 --max-load 0")]
    [InlineData(2, "--stall 'long' is wrong: expected 0, or seconds", "--per-day 1 --stall long")]
    [InlineData(3, "cannot read the report 'there-is-none.json'", "--per-day 1 there-is-none.json")]
    public async Task Plan_WrongUse_IsOneClearLine(int exitCode, string expected, string arguments)
    {
        ToolResult result = await Tool.RunAsync(
            ["plan", .. arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    private string Drain()
    {
        string path = Path.Combine(_folder.FullName, "drain.json");
        File.WriteAllText(path, """
            {
              "schema": "spate/1", "kind": "drain", "cpus": 2,
              "rows": [{ "name": "spate-mmsg", "sizeBytes": 200, "receiveNanosecondsPerDatagram": 600,
                "sendNanosecondsPerDatagram": 3000, "samples": [600] }]
            }
            """);
        return path;
    }
}
