using Spate.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// Reports the exceptions that handlers throw: at most one report per type of exception in 10 s, with the number of
/// exceptions since the last report. It keeps at most 64 types apart; all others share one entry.
/// </summary>
internal sealed class FaultLog(TimeProvider time, Action<UdpServerFault>? onFault)
{
    private const int MaxKindCount = 64;

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<Type, (long LastReport, long Count)> _kinds = [];

    public void Report(int shardIndex, Exception fault)
    {
        if (!TryPass(fault.GetType(), out long count)) return;
        try
        {
            SpateEventSource.ReportHandlerFault(shardIndex, fault, count);
        }
        catch (Exception)
        {
            // The exception threw when it was asked for its text. The fault is counted even so.
        }

        try
        {
            onFault?.Invoke(new UdpServerFault { ShardIndex = shardIndex, Exception = fault, Count = count });
        }
        catch (Exception)
        {
            // A callback that throws must not end the thread. The event has reported the handler's fault.
        }
    }

    private bool TryPass(Type kind, out long count)
    {
        lock (_lock)
        {
            if (_kinds.Count >= MaxKindCount && !_kinds.ContainsKey(kind)) kind = typeof(Exception);
            bool isFirst = !_kinds.TryGetValue(kind, out (long LastReport, long Count) entry);
            count = entry.Count + 1;
            bool passes = isFirst || time.GetElapsedTime(entry.LastReport) >= Interval;
            _kinds[kind] = passes ? (time.GetTimestamp(), 0) : (entry.LastReport, count);
            return passes;
        }
    }
}
