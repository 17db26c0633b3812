using System.Diagnostics;

namespace Spate.Measurement.Bench.Drain;

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell(string name, int sizeBytes, DrainPair pair, int count)
{
    // Tiered compilation compiles a method anew after 30 calls; short rounds come to that in one warm-up.
    private const int WarmUpPasses = 5;

    public string Name { get; } = name;

    public int SizeBytes { get; } = sizeBytes;

    public DrainPair Pair { get; } = pair;

    /// <summary>Receive buffer that the system granted; read while the socket is open.</summary>
    public int BufferGrantedBytes { get; } = pair.BufferGrantedBytes;

    public List<double> ReceiveNanoseconds { get; } = [];

    public List<double> SendNanoseconds { get; } = [];

    public bool Failed { get; private set; }

    /// <summary>Does without the row from now on.</summary>
    public void GiveUp()
    {
        Failed = true;
        Keep(0);
    }

    /// <summary>Drops rounds beyond the first so many.</summary>
    public void Keep(int roundCount)
    {
        BenchPace.Keep(ReceiveNanoseconds, roundCount);
        BenchPace.Keep(SendNanoseconds, roundCount);
    }

    /// <summary>Runs one round, or a warm-up, which is not kept.</summary>
    /// <param name="warmUpMost">The time of the warm-up; null for a round.</param>
    /// <returns>What was wrong, or null.</returns>
    public string? Measure(TimeSpan? warmUpMost)
    {
        bool isWarmUp = warmUpMost is not null;
        int passes = isWarmUp ? WarmUpPasses : 1;
        long begin = Stopwatch.GetTimestamp();
        for (int pass = 0; pass < passes && (pass == 0 || Stopwatch.GetElapsedTime(begin) < warmUpMost); pass++)
        {
            long start = Stopwatch.GetTimestamp();
            int sent = Pair.Fill(count);
            long filled = Stopwatch.GetTimestamp();
            int received = Pair.Drain(sent);
            long drained = Stopwatch.GetTimestamp();
            if (sent == 0 || received < sent)
            {
                return $"of {count} datagrams {sent} were sent and {received} arrived, "
                    + $"with a receive buffer of {Pair.BufferGrantedBytes} bytes";
            }
            if (!isWarmUp)
            {
                SendNanoseconds.Add(Stopwatch.GetElapsedTime(start, filled).TotalNanoseconds / sent);
                ReceiveNanoseconds.Add(Stopwatch.GetElapsedTime(filled, drained).TotalNanoseconds / received);
            }
        }
        return null;
    }

    public DrainRow ToRow()
    {
        double[] receive = [.. ReceiveNanoseconds];
        double[] send = [.. SendNanoseconds];
        return new DrainRow
        {
            Name = Name,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(receive),
            SendNanosecondsPerDatagram = Statistics.Median(send),
            ReceiveSpreadPercent = Statistics.SpreadPercent(receive),
            SendSpreadPercent = Statistics.SpreadPercent(send),
            Samples = receive,
            Demotions = Pair.Demotions,
        };
    }
}
