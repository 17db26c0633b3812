using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Measurement.Counting;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Traffic;

/// <summary>What the summaries say where a run went otherwise than asked.</summary>
public sealed class SummaryTests
{
    [Theory]
    [InlineData("receive", true)]
    [InlineData("receive", false)]
    [InlineData("serve", true)]
    [InlineData("serve", false)]
    public async Task Receive_OnlyAnnouncements_SaysThatAllOfItIsLost(string command, bool isNumbered)
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        await using RunningTool receiver = Tool.Start(command, "127.0.0.1:0", "--json", path);
        string line = await receiver.ReadErrorLineWithAsync(" at 127.0.0.1:");
        string where = line.Split(',')[0].Split(" at ")[1];
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        if (isNumbered) TestDatagram.WriteEnd(payload, 7, 12_345);
        else TestDatagram.WriteTotal(payload, 7, 12_345);
        plain.SendTo(payload, IPEndPoint.Parse(where));
        receiver.Stop();
        ToolResult result = await receiver.FinishAsync();

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains(
            "only announcements arrived: 12,345 datagrams were sent, and all of them are lost",
            result.Output,
            StringComparison.Ordinal);
        using JsonDocument report = JsonDocument.Parse(File.ReadAllText(path));
        File.Delete(path);
        Assert.Equal(1, report.RootElement.GetProperty("streams").GetInt64());
        Assert.DoesNotContain("lost 0", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void Interval_TooShortForARate_ShowsNone()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        var total = new IntervalReport { Seconds = 0.049, Datagrams = 10, Bytes = 640, CpuPercent = 7 };

        new TrafficText(new TerminalWriter(output), isReceiver: false).WriteInterval(
            new TrafficInterval(total, [new FlowInterval("1", 10, 640, Lost: null)], FlowCount: 1));

        string[] rows = output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries)[1..];
        Assert.Equal(
            ["0.0-0.0 - - 7 % - - -", "flow 1 - -"],
            rows.Select(static row => string.Join(' ', row.Split(' ', StringSplitOptions.RemoveEmptyEntries))),
            StringComparer.Ordinal);
    }

    [Theory]
    [InlineData("0.1")]
    [InlineData("10")]
    public async Task Send_AnyInterval_IntervalsSumToTheTotal(string interval)
    {
        using var target = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        target.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        // Ends 20 ms after an interval, which is too short for one of its own.
        ToolResult result = await Tool.RunAsync(
            "send", target.LocalEndPoint!.ToString()!, "--count", "220", "--rate", "1k", "--size", "64", "--interval",
            interval, "--json", "-");

        using JsonDocument report = JsonDocument.Parse(result.Output);
        Assert.Equal(
            220,
            report.RootElement.GetProperty("intervals").EnumerateArray().Sum(
                static part => part.GetProperty("datagrams").GetInt64()));
    }

    [Theory]
    [InlineData(200_000, 10, "141,000/s of 200,000/s requested; the sender is the limit")]
    [InlineData(200_000, 0.5, "141,000/s of 200,000/s requested; the sender is the limit")]
    [InlineData(200_000, 0.01, null)]
    [InlineData(142_000, 10, null)]
    [InlineData(null, 10, null)]
    public void Send_RateNotReached_SaysSoWhereThatCanBeTold(int? asked, double seconds, string? expected)
    {
        long datagrams = (long)(141_000 * seconds);
        string text = Summary(isReceiver: false, new TrafficReport
        {
            Datagrams = datagrams,
            Seconds = seconds,
            RateAskedDatagramsPerSecond = asked,
        });

        Assert.Equal(expected is not null, text.Contains("the sender is the limit", StringComparison.Ordinal));
        string sent = string.Create(CultureInfo.InvariantCulture, $"sent {datagrams:N0} datagrams");
        Assert.Contains(expected ?? sent, text, StringComparison.Ordinal);
    }

    [Fact]
    public void Send_WithARate_TellsTheGapErrorInOneLine()
    {
        string text = Summary(isReceiver: false, new TrafficReport
        {
            Datagrams = 1000,
            Seconds = 1,
            Pacing = new PacingReport
            {
                Mode = "sleep",
                Bursts = 1234,
                MostPerBurst = 25,
                Skipped = 7,
                GapError = new PacingErrorReport
                {
                    P50Microseconds = 1.25,
                    P90Microseconds = 99.94,
                    P99Microseconds = 180,
                    MaxMicroseconds = 2345.6,
                },
            },
        });

        Assert.Contains(
            "pace sleep: off schedule by p50 1.3 us, p90 99.9, p99 180, max 2,346; 1,234 bursts of up to 25, "
                + "7 skipped\n",
            text,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Send_WithoutARate_TellsNoPacing() => Assert.DoesNotContain(
        "pace", Summary(isReceiver: false, new TrafficReport { Datagrams = 1, Seconds = 1 }), StringComparison.Ordinal);

    [Theory]
    [InlineData(null, true)]
    [InlineData("100 % of the loss is the receiver: --cpu auto", false)]
    public void Receive_SocketDrops_AreAdvisedOnOnce(string? verdict, bool isAdvised)
    {
        string text = Summary(isReceiver: true, new TrafficReport
        {
            Datagrams = 1000,
            Seconds = 1,
            Lost = 7,
            KernelDrops = 7,
            KernelDropUnit = "datagrams",
            PerStream = [new StreamReport()],
            Verdict = verdict,
        });

        Assert.Contains("dropped by the kernel, receive buffer full: 7 datagrams", text, StringComparison.Ordinal);
        Assert.Equal(isAdvised, text.Contains("a larger --buffer", StringComparison.Ordinal));
        Assert.Equal(!isAdvised, text.Contains(verdict ?? "of the loss", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(2, "lost 7 (")]
    [InlineData(1, "lost at least 7 (")]
    public void Receive_SenderThatWasNotHeardToEnd_LossIsALowerBound(int ended, string lost)
    {
        string text = Summary(isReceiver: true, new TrafficReport
        {
            Datagrams = 1000,
            Seconds = 1,
            Lost = 7,
            Streams = 2,
            EndedStreams = ended,
            PerStream = [new StreamReport(), new StreamReport()],
        });

        Assert.Contains(lost, text, StringComparison.Ordinal);
        Assert.Equal(
            ended == 1, text.Contains("1 of 2 sender(s) never announced an end", StringComparison.Ordinal));
    }

    private static string Summary(bool isReceiver, TrafficReport report)
    {
        var output = new StringWriter();
        new TrafficText(new TerminalWriter(output), isReceiver).WriteSummary(report);
        return output.ToString();
    }
}
