using System.Diagnostics;
using Spate.Serving;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>One number of peers in one pattern at one size, with its rounds so far. No peers: no table.</summary>
internal sealed class SessionsCell(SessionsSocket socket, PeerSet? peers, int runShift)
{
    /// <summary>Runs of 64: the most datagrams that the kernel coalesces into one buffer (UDP_MAX_SEGMENTS).</summary>
    public const int RunsShift = 6;

    /// <summary>Every datagram another peer's.</summary>
    public const int ScatteredShift = 0;

    // Tiered compilation compiles a method anew after 30 calls, but only once nothing new has been called for 100 ms
    // (the runtime's TC_CallCountingDelayMs), and rounds take a few milliseconds.
    private static readonly TimeSpan _longestWarmUp = TimeSpan.FromMilliseconds(250);

    private readonly UdpEndPoint[] _sequence =
        peers is null ? [] : new UdpEndPoint[((socket.DatagramCount - 1) >> runShift) + 1];

    public SessionsSocket Socket { get; } = socket;

    public PeerSet? Peers { get; } = peers;

    public string Pattern { get; } = runShift == ScatteredShift ? "scattered" : "runs";

    public string Name => Peers is null ? "no table" : $"{Peers.Count} peers, {Pattern}";

    public List<double> Nanoseconds { get; } = [];

    /// <summary>Runs one round, or a warm-up, which is not kept.</summary>
    /// <param name="warmUp">How long the warm-up may be; null for a round.</param>
    /// <param name="random">Draws the peers.</param>
    /// <exception cref="BenchException">Datagrams were lost, so there is nothing to time.</exception>
    public void Measure(TimeSpan? warmUp, Random random)
    {
        bool isWarmUp = warmUp is not null;
        TimeSpan most = warmUp < _longestWarmUp ? warmUp.Value : _longestWarmUp;
        long begin = Stopwatch.GetTimestamp();
        do
        {
            if (Peers is not null)
            {
                BenchPeers.Draw(Peers.Peers, _sequence, random);
            }
            int sent = Socket.Fill(Socket.DatagramCount);
            long start = Stopwatch.GetTimestamp();
            int drained = Peers is null
                ? Socket.Drain(Socket.DatagramCount)
                : Socket.Drain(Peers.Table, _sequence, runShift);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
            if (sent == 0 || drained != sent)
            {
                throw new BenchException(
                    $"Of {Socket.DatagramCount} datagrams of {Socket.SizeBytes} bytes {sent} were sent and {drained} "
                    + $"drained, with a receive buffer of {Socket.BufferGrantedBytes} bytes.");
            }
            if (!isWarmUp)
            {
                Nanoseconds.Add(elapsed.TotalNanoseconds / sent);
            }
        }
        while (isWarmUp && Stopwatch.GetElapsedTime(begin) < most);
    }

    /// <summary>The medians.</summary>
    /// <param name="bare">The cell of this size without a table.</param>
    /// <param name="one">The cell of this size with one peer.</param>
    public SessionsRow ToRow(SessionsCell bare, SessionsCell one)
    {
        double[] own = [.. Nanoseconds];
        return new SessionsRow
        {
            Peers = Peers!.Count,
            Pattern = Pattern,
            SizeBytes = Socket.SizeBytes,
            NanosecondsPerDatagram = Statistics.Median(own),
            TableNanosecondsPerDatagram = Statistics.Median(
                [.. Nanoseconds.Zip(bare.Nanoseconds, static (with, without) => with - without)]),
            TimesOneSession = Statistics.MedianRatio(own, [.. one.Nanoseconds]),
            SpreadPercent = Statistics.SpreadPercent(own),
            Samples = own,
        };
    }
}

/// <summary>Peers and the table that holds all of them.</summary>
internal sealed class PeerSet
{
    public PeerSet(int count)
    {
        Peers = BenchPeers.Create(count);

        // No session of a row may expire while its row is measured, however long the run.
        Table = BenchPeers.CreateTable(Peers, TimeProvider.System, SessionTableOptions.IdleLimitMost);
    }

    public int Count => Peers.Length;

    public UdpEndPoint[] Peers { get; }

    public SessionTable<BenchSession> Table { get; }
}
