using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Sockets;

/// <summary>One mode with one number of sockets and of datagrams queued in each, and its rounds so far.</summary>
internal sealed class SocketsCell(ISocketSet set, SocketsMode mode, int queuedCount, int sizeBytes, TimeProvider time)
    : BenchCell<double>($"{mode.Name} of {set.Count} sockets, {queuedCount} queued", sizeBytes)
{
    // A short drain takes only a few ticks of the clock, so a round repeats it until this many datagrams came.
    private const long MinDatagramsPerRound = 2000;

    /// <summary>Nanoseconds per datagram. Throws if datagrams were lost, since the time would mean nothing.</summary>
    public double Measure()
    {
        try
        {
            mode.Prepare();
            try
            {
                return Drain();
            }
            finally
            {
                mode.Finish();
            }
        }
        catch
        {
            // The next row must not count the datagrams that are still queued or on their way.
            set.Discard();
            throw;
        }
    }

    public SocketsRow ToRow()
    {
        double[] rounds = [.. Rounds];
        return new SocketsRow
        {
            Sockets = set.Count,
            Mode = mode.Name,
            Queued = queuedCount,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(rounds),
            SpreadPercent = Statistics.SpreadPercent(rounds),
            Samples = rounds,
        };
    }

    private double Drain()
    {
        long ticks = 0;
        long drained = 0;
        long expected = (long)set.Count * queuedCount;
        while (drained < MinDatagramsPerRound)
        {
            long sent = set.Fill(queuedCount, SizeBytes);
            long start = time.GetTimestamp();
            long came = mode.Drain(sent);
            ticks += time.GetTimestamp() - start;
            if (came != sent || sent != expected)
            {
                throw new BenchException($"of {expected} datagrams {sent} were sent and {came} arrived");
            }

            drained += came;
        }

        return ticks * (1e9 / time.TimestampFrequency) / drained;
    }
}
