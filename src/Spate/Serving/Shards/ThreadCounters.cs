using System.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// The counts of one thread. Only that thread writes them; any thread may read them. Each value is read whole, but
/// values that are read together may be from different moments.
/// </summary>
internal sealed class ThreadCounters
{
    private long _datagrams;
    private long _bytes;
    private long _calls;
    private int _minPerCall = int.MaxValue;
    private int _maxPerCall;
    private long _faults;
    private long _datagramsFaulted;
    private long _repliesSent;
    private long _repliesRefused;
    private long _repliesDropped;

    public void CountCall(int datagrams, long bytes)
    {
        Debug.Assert(datagrams > 0 && bytes >= 0, "Only before the first call does Read report 0 per call.");
        Volatile.Write(ref _datagrams, _datagrams + datagrams);
        Volatile.Write(ref _bytes, _bytes + bytes);
        Volatile.Write(ref _calls, _calls + 1);
        if (datagrams < _minPerCall) Volatile.Write(ref _minPerCall, datagrams);
        if (datagrams > _maxPerCall) Volatile.Write(ref _maxPerCall, datagrams);
    }

    public void CountFault(int datagrams)
    {
        Volatile.Write(ref _faults, _faults + 1);
        Volatile.Write(ref _datagramsFaulted, _datagramsFaulted + datagrams);
    }

    public void CountReplies(int sent, int refused, int dropped)
    {
        Debug.Assert(sent >= 0 && refused >= 0 && dropped >= 0);
        Volatile.Write(ref _repliesSent, _repliesSent + sent);
        Volatile.Write(ref _repliesRefused, _repliesRefused + refused);
        Volatile.Write(ref _repliesDropped, _repliesDropped + dropped);
    }

    /// <summary>Adds up the counts of two threads that had the same index one after the other.</summary>
    public static UdpThreadStatistics Add(in UdpThreadStatistics earlier, in UdpThreadStatistics later) => later with
    {
        Datagrams = earlier.Datagrams + later.Datagrams,
        Bytes = earlier.Bytes + later.Bytes,
        Calls = earlier.Calls + later.Calls,
        MinPerCall = earlier.Calls == 0 ? later.MinPerCall
            : later.Calls == 0 ? earlier.MinPerCall
            : Math.Min(earlier.MinPerCall, later.MinPerCall),
        MaxPerCall = Math.Max(earlier.MaxPerCall, later.MaxPerCall),
        HandlerFaults = earlier.HandlerFaults + later.HandlerFaults,
        DatagramsFaulted = earlier.DatagramsFaulted + later.DatagramsFaulted,
        RepliesSent = earlier.RepliesSent + later.RepliesSent,
        RepliesRefused = earlier.RepliesRefused + later.RepliesRefused,
        RepliesDropped = earlier.RepliesDropped + later.RepliesDropped,
        Sleeps = earlier.Sleeps + later.Sleeps,
    };

    public UdpThreadStatistics Read() => new()
    {
        Datagrams = Volatile.Read(ref _datagrams),
        Bytes = Volatile.Read(ref _bytes),
        Calls = Volatile.Read(ref _calls),
        MinPerCall = Volatile.Read(ref _maxPerCall) == 0 ? 0 : Volatile.Read(ref _minPerCall),
        MaxPerCall = Volatile.Read(ref _maxPerCall),
        HandlerFaults = Volatile.Read(ref _faults),
        DatagramsFaulted = Volatile.Read(ref _datagramsFaulted),
        RepliesSent = Volatile.Read(ref _repliesSent),
        RepliesRefused = Volatile.Read(ref _repliesRefused),
        RepliesDropped = Volatile.Read(ref _repliesDropped),
    };
}
