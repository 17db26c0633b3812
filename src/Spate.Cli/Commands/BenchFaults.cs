using Spate.Measurement.Bench;

namespace Spate.Cli.Commands;

/// <summary>Turns what a bench cannot do into one line.</summary>
internal static class BenchFaults
{
    public static T Guard<T>(Func<T> bench)
    {
        try
        {
            return bench();
        }
        catch (BenchException fault)
        {
            throw CommandException.Refused(fault.Message, fault);
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused("stopped before the end: there are no medians to report", fault);
        }
    }

    public static void TellSkipped(IReadOnlyList<BenchSkippedRow> skipped, Streams streams)
    {
        foreach (BenchSkippedRow row in skipped)
        {
            TrafficSetup.Notice(streams, $"{row.Name} did not run: {row.Reason}");
        }
    }
}
