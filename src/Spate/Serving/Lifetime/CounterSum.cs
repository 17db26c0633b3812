namespace Spate.Serving.Lifetime;

/// <summary>Adds up the counters of several sockets.</summary>
internal static class CounterSum
{
    public static UdpCounters Of(IEnumerable<UdpCounters> all) => all.Aggregate((sum, next) => Add(sum, next));

    private static UdpCounters Add(in UdpCounters sum, in UdpCounters next) => sum with
    {
        DatagramsReceived = sum.DatagramsReceived + next.DatagramsReceived,
        BytesReceived = sum.BytesReceived + next.BytesReceived,
        ReceiveCalls = sum.ReceiveCalls + next.ReceiveCalls,
        BuffersReceived = sum.BuffersReceived + next.BuffersReceived,
        DatagramsUnread = sum.DatagramsUnread + next.DatagramsUnread,
        DatagramsTruncated = sum.DatagramsTruncated + next.DatagramsTruncated,
        DatagramsSent = sum.DatagramsSent + next.DatagramsSent,
        BytesSent = sum.BytesSent + next.BytesSent,
        SendCalls = sum.SendCalls + next.SendCalls,
        MessagesSent = sum.MessagesSent + next.MessagesSent,
        DatagramsRefused = sum.DatagramsRefused + next.DatagramsRefused,
        NoBufferEvents = sum.NoBufferEvents + next.NoBufferEvents,
        IcmpErrors = sum.IcmpErrors + next.IcmpErrors,
        UnknownErrors = sum.UnknownErrors + next.UnknownErrors,
        GsoFallbacks = sum.GsoFallbacks + next.GsoFallbacks,
        KernelDrops = sum.KernelDrops < 0 || next.KernelDrops < 0 ? -1 : sum.KernelDrops + next.KernelDrops,
        KernelDropUnit = sum.KernelDropUnit == next.KernelDropUnit ? sum.KernelDropUnit : UdpDropUnit.None,
    };
}
