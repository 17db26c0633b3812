using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Targets;
using Spate.Serving;

namespace Spate.Tests.Cli.Bench.Sessions;

/// <summary>Sockets and tables whose times a test names.</summary>
internal sealed class FakeSessions(MadeUpCourse course)
{
    private readonly Queue<AgingTimes> _repeats = new();

    /// <summary>Draining a datagram, by the sessions of the table (0 without one), and the run.</summary>
    public Func<int, int, double> Microseconds { get; init; } = static (_, _) => 1;

    public double FillSeconds { get; init; }

    public double AgingSeconds { get; init; }

    /// <summary>The drain that loses a datagram, from 0.</summary>
    public int LossyDrain { get; init; } = -1;

    public int Agings { get; private set; }

    /// <summary>Adds a repeat of ageing with the times of its passes.</summary>
    public void AddRepeat(params double[] microseconds) => _repeats.Enqueue(new AgingTimes(microseconds, 4096));

    public ISessionsPair Open(SpateRow row, int sizeBytes, int wantedCount) => new Pair(this, sizeBytes, wantedCount);

    public PeerSet Fill(int peerCount)
    {
        course.Take(FillSeconds);
        return new PeerSet(peerCount);
    }

    public AgingTimes Age(UdpEndPoint[] peers)
    {
        Agings++;
        course.Take(AgingSeconds);
        return _repeats.TryDequeue(out AgingTimes? repeat) ? repeat : new AgingTimes([1], 4096);
    }

    private sealed class Pair(FakeSessions sessions, int sizeBytes, int datagramCount) : ISessionsPair
    {
        private int _drains;

        public int SizeBytes => sizeBytes;

        public int DatagramCount => datagramCount;

        public int BufferGrantedBytes => 1 << 20;

        public long GsoFallbacks => 2;

        public int Fill(int count) => count;

        public int Drain(int count) => Take(0, 0);

        public int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift) =>
            Take(table.Count, runShift);

        public void Dispose()
        {
            // There is no socket.
        }

        private int Take(int sessionCount, int runShift)
        {
            sessions.TakeMicroseconds(datagramCount * sessions.Microseconds(sessionCount, runShift));
            return _drains++ == sessions.LossyDrain ? datagramCount - 1 : datagramCount;
        }
    }

    private void TakeMicroseconds(double microseconds) => course.Take(microseconds / 1e6);
}
