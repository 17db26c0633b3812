using Spate.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// Reports the exceptions that handlers throw: at most one report per type of exception in 10 s, with the number of
/// exceptions since the last report. It distinguishes at most 64 types; all further types share one entry.
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
            // Reading the text of the handler's exception has thrown another exception. The caller counts the fault all
            // the same.
        }

        try
        {
            onFault?.Invoke(new UdpServerFault { ShardIndex = shardIndex, Exception = fault, Count = count });
        }
        catch (Exception)
        {
            // An exception of the callback must not end the thread. The event above has already reported the handler's
            // fault.
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
