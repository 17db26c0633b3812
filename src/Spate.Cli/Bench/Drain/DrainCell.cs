using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Drain;

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell(
    string name, int sizeBytes, string skippedName, DrainPair pair, int count, TimeProvider time)
    : BenchCell<DrainRound>(name, sizeBytes, skippedName), IDisposable
{
    // Tiered compilation recompiles a method after 30 calls. Several passes reach that even with few calls each.
    private const int WarmUpPasses = 5;

    /// <summary>The socket may be closed since.</summary>
    public int BufferGrantedBytes { get; } = pair.BufferGrantedBytes;

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime)
    {
        long begin = time.GetTimestamp();
        for (int pass = 0; pass < WarmUpPasses && (pass == 0 || time.GetElapsedTime(begin) < maxTime); pass++)
        {
            _ = Measure();
        }
    }

    /// <summary>Throws if datagrams were lost, since the time would mean nothing.</summary>
    public DrainRound Measure()
    {
        long start = time.GetTimestamp();
        int sent = pair.Fill(count);
        long filled = time.GetTimestamp();
        int received = pair.Drain(sent);
        long drained = time.GetTimestamp();
        return sent == 0 || received < sent
            ? throw new BenchException($"of {count} datagrams {sent} were sent and {received} arrived, "
                + $"with a receive buffer of {BufferGrantedBytes} bytes")
            : new DrainRound(
                time.GetElapsedTime(filled, drained).TotalNanoseconds / received,
                time.GetElapsedTime(start, filled).TotalNanoseconds / sent);
    }

    public DrainRow ToRow()
    {
        double[] receive = [.. Rounds.Select(static round => round.ReceiveNanoseconds)];
        double[] send = [.. Rounds.Select(static round => round.SendNanoseconds)];
        return new DrainRow
        {
            Name = Name,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(receive),
            SendNanosecondsPerDatagram = Statistics.Median(send),
            ReceiveSpreadPercent = Statistics.SpreadPercent(receive),
            SendSpreadPercent = Statistics.SpreadPercent(send),
            Samples = receive,
            GsoFallbacks = pair.GsoFallbacks,
        };
    }

    public void Dispose() => pair.Dispose();
}

/// <summary>The times of one round per datagram.</summary>
internal readonly record struct DrainRound(double ReceiveNanoseconds, double SendNanoseconds);
