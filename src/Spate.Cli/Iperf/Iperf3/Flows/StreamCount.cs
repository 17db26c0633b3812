using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>
/// The counts of one stream at this end, cut into intervals and freed of what is omitted. One thread.
/// </summary>
/// <param name="read">Reads all that was counted since the beginning; the jitter is the newest.</param>
internal sealed class StreamCount(Func<Iperf3Counts> read)
{
    private Iperf3Counts _last = new();

    /// <summary>What was counted until the end of what is omitted.</summary>
    public Iperf3Counts Omitted { get; private set; } = new();

    /// <summary>All that was counted, with what is omitted.</summary>
    public Iperf3Counts All => read();

    /// <summary>All that counts.</summary>
    public Iperf3Counts Measured => Difference(read(), Omitted);

    /// <summary>What was counted since the last call.</summary>
    public Iperf3Counts TakeInterval()
    {
        Iperf3Counts now = read();
        Iperf3Counts interval = Difference(now, _last);
        _last = now;
        return interval;
    }

    /// <summary>Leaves out what was counted so far.</summary>
    public void Omit() => Omitted = _last = read();

    private static Iperf3Counts Difference(Iperf3Counts now, Iperf3Counts then) => now with
    {
        Bytes = now.Bytes - then.Bytes,
        Packets = now.Packets - then.Packets,
        Lost = now.Lost - then.Lost,
        OutOfOrder = now.OutOfOrder - then.OutOfOrder,
    };
}
