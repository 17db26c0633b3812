using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>One number of peers in one pattern at one size. Null peers drain without a table.</summary>
internal sealed class SessionsCell(ISessionsPair socket, PeerSet? peers, int runShift, TimeProvider time)
    : BenchCell<double>(
        peers is null ? "no table" : $"{peers.Count} peers, {PatternOf(runShift)}", socket.SizeBytes)
{
    /// <summary>Runs of 64 datagrams, as many as the kernel coalesces into one buffer (UDP_MAX_SEGMENTS).</summary>
    public const int RunsShift = 6;

    /// <summary>Runs of one datagram: each comes from another peer than the one before.</summary>
    public const int ScatteredShift = 0;

    // Tiered compilation recompiles a method after 30 calls, but only after 100 ms without new methods
    // (TC_CallCountingDelayMs). Rounds take a few milliseconds.
    private static readonly TimeSpan MaxWarmUp = TimeSpan.FromMilliseconds(250);

    private readonly UdpEndPoint[] _sequence =
        peers is null ? [] : new UdpEndPoint[((socket.DatagramCount - 1) >> runShift) + 1];

    public ISessionsPair Socket { get; } = socket;

    public PeerSet? Peers { get; } = peers;

    public string Pattern { get; } = PatternOf(runShift);

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime, Random random)
    {
        maxTime = maxTime < MaxWarmUp ? maxTime : MaxWarmUp;
        long begin = time.GetTimestamp();
        do
        {
            _ = Measure(random);
        }
        while (time.GetElapsedTime(begin) < maxTime);
    }

    /// <summary>Nanoseconds per datagram. Throws if datagrams were lost, since the time would mean nothing.</summary>
    public double Measure(Random random)
    {
        if (Peers is not null) BenchPeers.Draw(Peers.Peers, _sequence, random);
        int sent = Socket.Fill(Socket.DatagramCount);
        long start = time.GetTimestamp();
        int drained = Peers is null
            ? Socket.Drain(Socket.DatagramCount)
            : Socket.Drain(Peers.Table, _sequence, runShift);
        TimeSpan elapsed = time.GetElapsedTime(start);
        return sent == 0 || drained != sent
            ? throw new BenchException(
                $"Of {Socket.DatagramCount} datagrams of {Socket.SizeBytes} bytes {sent} were sent and {drained} "
                + $"drained, with a receive buffer of {Socket.BufferGrantedBytes} bytes.")
            : elapsed.TotalNanoseconds / sent;
    }

    /// <summary>The cell <paramref name="bare"/> has no table, <paramref name="one"/> has one peer.</summary>
    public SessionsRow ToRow(SessionsCell bare, SessionsCell one)
    {
        double[] own = [.. Rounds];
        return new SessionsRow
        {
            Peers = Peers!.Count,
            Pattern = Pattern,
            SizeBytes = SizeBytes,
            NanosecondsPerDatagram = Statistics.Median(own),
            TableNanosecondsPerDatagram = Statistics.Median(
                [.. Rounds.Zip(bare.Rounds, static (with, without) => with - without)]),
            TimesOneSession = Statistics.MedianRatio(own, [.. one.Rounds]),
            SpreadPercent = Statistics.SpreadPercent(own),
            Samples = own,
        };
    }

    private static string PatternOf(int runShift) => runShift == ScatteredShift ? "scattered" : "runs";
}
