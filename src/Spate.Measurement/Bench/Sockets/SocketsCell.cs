using System.Diagnostics;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>One row with its rounds so far.</summary>
internal sealed class SocketsCell(FilledSockets set, SocketsMode mode, int queuedCount, int sizeBytes)
    : BenchCell<double>($"{mode.Name} of {set.Sockets.Count} sockets, {queuedCount} queued", sizeBytes)
{
    // A drain of one datagram is over before the clock has ticked often: short ones are repeated and added up.
    private const long DatagramsPerRound = 2000;

    /// <summary>Measures one round.</summary>
    /// <returns>Nanoseconds per datagram received.</returns>
    /// <exception cref="BenchException">Datagrams were lost, so there is nothing to time.</exception>
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
            // What came too late, or was not fetched, must not be counted by the next row.
            set.Discard();
            throw;
        }
    }

    public SocketsRow ToRow()
    {
        double[] rounds = [.. Rounds];
        return new SocketsRow
        {
            Sockets = set.Sockets.Count,
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
        long expected = (long)set.Sockets.Count * queuedCount;
        while (drained < DatagramsPerRound)
        {
            long sent = set.Fill(queuedCount, SizeBytes);
            long start = Stopwatch.GetTimestamp();
            long came = mode.Drain(sent);
            ticks += Stopwatch.GetTimestamp() - start;
            if (came != sent || sent != expected)
            {
                throw new BenchException($"of {expected} datagrams {sent} were sent and {came} arrived");
            }

            drained += came;
        }

        return ticks * (1e9 / Stopwatch.Frequency) / drained;
    }
}
