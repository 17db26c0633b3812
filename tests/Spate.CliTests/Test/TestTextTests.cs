using Spate.Cli.Shell.Terminal;
using Spate.Cli.Test;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Test;

/// <summary>What the summary of a test shows only where there is something to tell.</summary>
public sealed class TestTextTests
{
    [Fact]
    public void WriteSummary_NothingSpecial_HasTheLossOnly()
    {
        string text = Summary(new TestDirectionReport { Datagrams = 10, Unique = 10, Offered = 10 }, new());

        Assert.Contains("lost 0 (0 %), duplicated 0, reordered 0\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("neither data", text, StringComparison.Ordinal);
    }

    [Fact]
    public void WriteSummary_SenderThatSkipped_SaysWhatWasNotSent() => Assert.Contains(
        "lost 0 (0 %), duplicated 0, reordered 0; of 12,000 due, 2,000 were not sent\n",
        Summary(new TestDirectionReport { Datagrams = 10_000, Skipped = 2000, Offered = 12_000 }, new()),
        StringComparison.Ordinal);

    [Fact]
    public void WriteSummary_DatagramsTooLateToTell_ShowsThem() => Assert.Contains(
        "lost 7 (0 %), duplicated 0, reordered 0, outside the tracking window 7\n",
        Summary(new TestDirectionReport { Datagrams = 10, Offered = 10, Lost = 7 }, new TrafficReport { Late = 7 }),
        StringComparison.Ordinal);

    [Fact]
    public void WriteSummary_CopiesOfControlAmongTheData_AreNotCalledUnknown()
    {
        string text = Summary(new TestDirectionReport(), new TrafficReport { UnknownDatagrams = 3 });

        Assert.Contains(
            "late or duplicate control messages, a newer version, or damage): 3\n", text, StringComparison.Ordinal);
        Assert.DoesNotContain("unknown", text, StringComparison.Ordinal);
    }

    private static string Summary(TestDirectionReport direction, TrafficReport received)
    {
        received.Duplicated ??= 0;
        received.Reordered ??= 0;
        direction.From = "client";
        using var output = new StringWriter { NewLine = "\n" };
        new TestText(new TerminalWriter(output)).WriteSummary(new TestReport
        {
            Directions = [direction],
            Local = new TestEndReport { Sent = new TrafficReport() },
            Remote = new TestEndReport { Received = received },
        });
        return output.ToString();
    }
}
