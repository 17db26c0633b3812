using System.Diagnostics.Tracing;

namespace Spate.Serving.Sessions;

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
        Message = "Ageing of sessions lags by {0} entries: call Age more often, or raise MaxAgingEntriesPerPass. "
            + "Name of the server: '{1}'.")]
    public void AgingBehind(int entryCount, string server) => WriteEvent(2, entryCount, server);
}
