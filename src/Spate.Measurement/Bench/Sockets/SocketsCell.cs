using System.Diagnostics;

namespace Spate.Measurement.Bench.Sockets;

/// <summary>One row with its rounds so far.</summary>
internal sealed class SocketsCell(SocketSet set, SocketsMode mode, int queuedCount)
{
    // A drain of one datagram is over before the clock has ticked often: short ones are repeated and added up.
    private const long DatagramsPerRound = 2000;

    private int SocketCount => set.Sockets.Count;

    public string Name => $"{mode.Name} of {SocketCount} sockets, {queuedCount} queued";

    public List<double> Nanoseconds { get; } = [];

    public bool Failed { get; private set; }

    /// <summary>Does without the row from now on.</summary>
    public void GiveUp()
    {
        Failed = true;
        Nanoseconds.Clear();
    }

    /// <summary>Runs one round.</summary>
    /// <param name="sizeBytes">Payload bytes of a datagram.</param>
    /// <param name="isWarmUp">Whether it is not kept.</param>
    /// <returns>What was wrong, or null.</returns>
    public string? Run(int sizeBytes, bool isWarmUp)
    {
        string? fault;
        mode.Prepare();
        try
        {
            fault = Measure(sizeBytes, isWarmUp);
        }
        finally
        {
            mode.Finish();
        }

        if (fault is not null)
        {
            // What came too late, or was not fetched, must not be counted by the next row.
            GiveUp();
            set.Discard();
        }

        return fault;
    }

    public SocketsRow ToRow(int sizeBytes)
    {
        double[] rounds = [.. Nanoseconds];
        return new SocketsRow
        {
            Sockets = SocketCount,
            Mode = mode.Name,
            Queued = queuedCount,
            SizeBytes = sizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(rounds),
            SpreadPercent = Statistics.SpreadPercent(rounds),
            Samples = rounds,
        };
    }

    private string? Measure(int sizeBytes, bool isWarmUp)
    {
        long ticks = 0;
        long drained = 0;
        while (drained < DatagramsPerRound)
        {
            long sent = set.Fill(queuedCount, sizeBytes);
            long start = Stopwatch.GetTimestamp();
            long came = mode.Drain(sent);
            ticks += Stopwatch.GetTimestamp() - start;
            if (came != sent || sent != (long)SocketCount * queuedCount)
            {
                return $"of {(long)SocketCount * queuedCount} datagrams {sent} were sent and {came} arrived";
            }

            drained += came;
        }

        if (!isWarmUp) Nanoseconds.Add(ticks * (1e9 / Stopwatch.Frequency) / drained);
        return null;
    }
}
