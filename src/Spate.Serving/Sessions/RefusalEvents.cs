namespace Spate.Serving.Sessions;

/// <summary>
/// Reports the refusals of one table: for each limit at most one event in 10 s, with the number since the last one, and
/// none while nobody listens.
/// </summary>
/// <param name="time">The table's clock.</param>
/// <param name="server">The name of the table's server; empty where there is none.</param>
internal sealed class RefusalEvents(TimeProvider time, string server)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly (long At, long Total)[] _last = new (long, long)[(int)SessionAdmission.RateLimited + 1];

    /// <param name="limit">The limit that refused.</param>
    /// <param name="total">All refusals by this limit, this one included.</param>
    public void Report(SessionAdmission limit, long total)
    {
        if (!ServingEventSource.Log.IsEnabled()) return;
        ref (long At, long Total) last = ref _last[(int)limit];
        if (last.Total > 0 && time.GetElapsedTime(last.At) < Interval) return;
        ServingEventSource.Log.SessionsRefused(limit.ToString(), total - last.Total, server);
        last = (time.GetTimestamp(), total);
    }
}
