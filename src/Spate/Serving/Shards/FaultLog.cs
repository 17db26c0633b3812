using System.Diagnostics;
using Spate.Diagnostics;

namespace Spate.Serving.Shards;

/// <summary>
/// Reports the exceptions that handlers throw: at most one report per type of exception in 10 s, with the number of
/// exceptions since the last report. It distinguishes at most 64 types; all further types share one entry.
/// </summary>
internal sealed class FaultLog(TimeProvider time, Action<UdpServerFault>? onFault)
{
    private const int MaxKindCount = 64;

    private readonly Dictionary<Type, EventThrottle> _throttles = [];

    /// <summary>Called for every exception, before the limit of reports; null for no call. It must not throw.</summary>
    public Action<Exception>? Observer { get; set; }

    public void Report(int shardIndex, Exception fault)
    {
        Observer?.Invoke(fault);
        if (!ThrottleOf(fault.GetType()).TryPass(out long count)) return;
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

    private EventThrottle ThrottleOf(Type kind)
    {
        lock (_throttles)
        {
            if (_throttles.Count >= MaxKindCount && !_throttles.ContainsKey(kind)) kind = typeof(Exception);
            if (_throttles.TryGetValue(kind, out EventThrottle? known)) return known;
            _throttles[kind] = new EventThrottle(time);
            Debug.Assert(_throttles.Count <= MaxKindCount + 1, "Further types share the entry of Exception.");
            return _throttles[kind];
        }
    }
}
