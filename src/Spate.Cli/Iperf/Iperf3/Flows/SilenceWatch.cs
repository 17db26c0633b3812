namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>Notices that nothing comes any more at an end that receives. One thread, which asks often.</summary>
internal sealed class SilenceWatch(Iperf3Traffic traffic, TimeSpan patience, TimeProvider time)
{
    private long _received = -1;
    private long _heardTicks;

    /// <summary>Whether nothing came for too long; false where this end does not receive.</summary>
    public bool IsSilent()
    {
        if (!traffic.Receives) return false;

        long received = traffic.Received.Received;
        if (received != _received) (_received, _heardTicks) = (received, time.GetTimestamp());
        return time.GetElapsedTime(_heardTicks) > patience;
    }
}
