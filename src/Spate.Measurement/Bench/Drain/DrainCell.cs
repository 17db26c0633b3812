using System.Diagnostics;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Bench.Rounds;

namespace Spate.Measurement.Bench.Drain;

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell(string name, int sizeBytes, string skippedName, DrainPair pair, int count)
    : BenchCell<DrainRound>(name, sizeBytes, skippedName), IDisposable
{
    // Tiered compilation compiles a method anew after 30 calls; short rounds come to that in one warm-up.
    private const int WarmUpPasses = 5;

    /// <summary>Receive buffer that the system granted; read while the socket is open.</summary>
    public int BufferGrantedBytes { get; } = pair.BufferGrantedBytes;

    /// <summary>Runs several rounds that are not kept.</summary>
    /// <param name="longest">No further one begins after this time.</param>
    public void WarmUp(TimeSpan longest)
    {
        long begin = Stopwatch.GetTimestamp();
        for (int pass = 0; pass < WarmUpPasses && (pass == 0 || Stopwatch.GetElapsedTime(begin) < longest); pass++)
        {
            _ = Measure();
        }
    }

    /// <summary>Fills the queue and drains it.</summary>
    /// <exception cref="BenchException">Datagrams were lost, so there is nothing to time.</exception>
    public DrainRound Measure()
    {
        long start = Stopwatch.GetTimestamp();
        int sent = pair.Fill(count);
        long filled = Stopwatch.GetTimestamp();
        int received = pair.Drain(sent);
        long drained = Stopwatch.GetTimestamp();
        return sent == 0 || received < sent
            ? throw new BenchException($"of {count} datagrams {sent} were sent and {received} arrived, "
                + $"with a receive buffer of {BufferGrantedBytes} bytes")
            : new DrainRound(
                Stopwatch.GetElapsedTime(filled, drained).TotalNanoseconds / received,
                Stopwatch.GetElapsedTime(start, filled).TotalNanoseconds / sent);
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
            Demotions = pair.Demotions,
        };
    }

    /// <summary>Closes the sockets.</summary>
    public void Dispose() => pair.Dispose();
}

/// <summary>What one round took per datagram.</summary>
internal readonly record struct DrainRound(double ReceiveNanoseconds, double SendNanoseconds);
