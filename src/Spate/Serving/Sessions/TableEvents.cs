using System.Diagnostics.Tracing;
using Spate.Diagnostics;

namespace Spate.Serving.Sessions;

/// <summary>
/// Reports the refusals of one table and the backlog of its ageing as events: at most one event in 10 s for each limit
/// and one for the backlog, and none while nobody listens.
/// </summary>
/// <param name="time">The table's clock.</param>
/// <param name="server">The name of the table's server; empty if it has none.</param>
internal sealed class TableEvents(TimeProvider time, string server)
{
    private readonly (EventThrottle Throttle, long Reported)[] _limits =
        [.. Enum.GetValues<SessionAdmission>().Select(_ => (new EventThrottle(time), 0L))];

    private readonly EventThrottle _backlog = new(time);

    /// <summary>Reports a refusal, with the number of refusals by the same limit since the last event.</summary>
    /// <param name="limit">The limit that refused.</param>
    /// <param name="total">All refusals by this limit, this one included.</param>
    public void ReportRefusal(SessionAdmission limit, long total)
    {
        ref (EventThrottle Throttle, long Reported) entry = ref _limits[(int)limit];
        if (!ServingEventSource.Log.IsEnabled() || !entry.Throttle.TryPass(out _)) return;

        // The throttle counts only while somebody listens.
        ServingEventSource.Log.SessionsRefused(limit.ToString(), total - entry.Reported, server);
        entry.Reported = total;
    }

    /// <summary>Reports the number of entries that ageing should have looked at by now but has not.</summary>
    public void ReportBacklog(int entryCount)
    {
        if (!ServingEventSource.Log.IsEnabled() || !_backlog.TryPass(out _)) return;
        ServingEventSource.Log.AgingBehind(entryCount, server);
    }
}

/// <summary>The event source "Spate.Serving". Its events are rare.</summary>
[EventSource(Name = "Spate.Serving")]
internal sealed class ServingEventSource : EventSource
{
    public static readonly ServingEventSource Log = new();

    private ServingEventSource()
    {
    }

    [Event(
        1,
        Level = EventLevel.Warning,
        Message = "{1} new sessions were refused by the limit: {0}. Name of the server: '{2}'.")]
    public void SessionsRefused(string limit, long count, string server) => WriteEvent(1, limit, count, server);

    [Event(
        2,
        Level = EventLevel.Warning,
        Message = "Ageing of sessions lags by {0} entries: call RemoveExpired more often, or raise "
            + "MaxAgingEntriesPerPass. "
            + "Name of the server: '{1}'.")]
    public void AgingBehind(int entryCount, string server) => WriteEvent(2, entryCount, server);
}
