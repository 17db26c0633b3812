namespace Spate.Serving.Sessions;

/// <summary>
/// Reports the refusals of one table and the backlog of its ageing as events: at most one event in 10 s for each limit
/// and one for the backlog, and none while nobody listens.
/// </summary>
/// <param name="time">The table's clock.</param>
/// <param name="server">The name of the table's server; empty if it has none.</param>
internal sealed class TableEvents(TimeProvider time, string server)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly (long At, long Total)[] _last = new (long, long)[(int)SessionAdmission.RateLimited + 1];
    private long? _backlogAt;

    /// <summary>Reports a refusal, with the number of refusals by the same limit since the last event.</summary>
    /// <param name="limit">The limit that refused.</param>
    /// <param name="total">All refusals by this limit, this one included.</param>
    public void ReportRefusal(SessionAdmission limit, long total)
    {
        if (!ServingEventSource.Log.IsEnabled()) return;
        ref (long At, long Total) last = ref _last[(int)limit];
        if (last.Total > 0 && time.GetElapsedTime(last.At) < Interval) return;
        ServingEventSource.Log.SessionsRefused(limit.ToString(), total - last.Total, server);
        last = (time.GetTimestamp(), total);
    }

    /// <summary>Reports the number of entries that ageing should have looked at by now but has not.</summary>
    public void ReportBacklog(int entryCount)
    {
        if (!ServingEventSource.Log.IsEnabled()) return;
        if (_backlogAt is { } last && time.GetElapsedTime(last) < Interval) return;
        ServingEventSource.Log.AgingBehind(entryCount, server);
        _backlogAt = time.GetTimestamp();
    }
}
