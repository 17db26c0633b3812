using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>The counts of a stream, cut into intervals and freed of what is omitted. One thread.</summary>
internal sealed class StreamCount(Func<Iperf3Counts> read)
{
    private Iperf3Counts _last = new();

    public Iperf3Counts Omitted { get; private set; } = new();

    /// <summary>All that was counted, with what is omitted.</summary>
    public Iperf3Counts All => read();

    public Iperf3Counts Measured => Difference(read(), Omitted);

    /// <summary>What was counted since the last call.</summary>
    public Iperf3Counts TakeInterval()
    {
        Iperf3Counts now = read();
        Iperf3Counts interval = Difference(now, _last);
        _last = now;
        return interval;
    }

    public void Omit() => Omitted = _last = read();

    private static Iperf3Counts Difference(Iperf3Counts now, Iperf3Counts then) => now with
    {
        Bytes = now.Bytes - then.Bytes,
        Packets = now.Packets - then.Packets,
        Lost = now.Lost - then.Lost,
        OutOfOrder = now.OutOfOrder - then.OutOfOrder,
    };
}
