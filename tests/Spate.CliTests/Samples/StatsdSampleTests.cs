using System.Text;
using StatsdCollector;

namespace Spate.CliTests.Samples;

/// <summary>The StatsD collector: what it adds up, and what it refuses.</summary>
public sealed class StatsdSampleTests
{
    private static readonly string[] Lines =
    [
        "requests:1|c\nrequests:2|c|@0.5\nload:0.5|g\nload:+0.25|g",
        "query:10|ms\r\nquery:30|ms|#db:one\n",
        "x:nan|c\nx:1e999|g\nx:1|q\nx:1|c|@0\n:1|c\nx\u001b[31m:1|c\nx:|c\nx:1",
    ];

    [Fact]
    public async Task Metrics_OfEachKind_AreAddedUpAndBadLinesRefused()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        // The interval is longer than the test: all is printed at the end.
        await using RunningSample sample = await RunningSample.StartAsync("StatsdCollector", "600");
        using var client = new SampleClient(sample.EndPoint);
        foreach (string lines in Lines) await SendAsync(client, lines);

        await sample.AttackAsync(RandomCase.Create());
        string output = await sample.EndAsync();

        AssertAddedUp(output);
    }

    [Fact]
    public void Table_OfEachKind_IsAddedUpAndBadLinesRefused()
    {
        MetricTable metrics = new();
        foreach (string lines in Lines) metrics.Add(Encoding.ASCII.GetBytes(lines));
        foreach (byte[] datagram in SampleAttack.Datagrams(RandomCase.Create())) metrics.Add(datagram);

        AssertAddedUp(metrics.TakeText(0).ReplaceLineEndings("\n"));
    }

    [Fact]
    public void Gauges_OfNobody_LeaveTheirPlacesToOthers()
    {
        MetricTable metrics = new();
        for (int i = 0; i < 10_000; i++) metrics.Add(Encoding.ASCII.GetBytes($"g{i}:1|g"));
        metrics.Add("late:1|c"u8);
        Assert.EndsWith(
            "\n10000 lines, 1 refused; 0 datagrams dropped so far", TakeText(metrics), StringComparison.Ordinal);

        for (int i = 0; i < 29; i++)
        {
            metrics.Add("g7:+1|g"u8);
            TakeText(metrics);
        }

        metrics.Add("late:1|c"u8);
        Assert.Equal(
            "counter late 1\ngauge g7 30\n1 lines, 0 refused; 0 datagrams dropped so far", TakeText(metrics));
    }

    private static void AssertAddedUp(string output)
    {
        Assert.Contains("counter requests 5\n", output, StringComparison.Ordinal);
        Assert.Contains("gauge load 0.75\n", output, StringComparison.Ordinal);
        Assert.Contains("timer query 2 values, least 10, mean 20, most 30 ms\n", output, StringComparison.Ordinal);
        Assert.Matches(@"\n\d+ lines, [1-9]\d* refused; \d+ datagrams dropped so far\n$", output);
        Assert.DoesNotContain('\u001b', output);
    }

    private static string TakeText(MetricTable metrics) => metrics.TakeText(0).ReplaceLineEndings("\n").TrimEnd('\n');

    private static Task SendAsync(SampleClient client, string lines) =>
        client.SendAsync(Encoding.ASCII.GetBytes(lines));
}
