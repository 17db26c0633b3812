namespace Spate.Serving.Sessions;

/// <summary>
/// Reports the refusals of one table: for each limit at most one event in 10 s, with the number since the last one, and
/// none while nobody listens.
/// </summary>
internal sealed class RefusalEvents(TimeProvider time)
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
        ServingEventSource.Log.SessionsRefused(limit.ToString(), total - last.Total);
        last = (time.GetTimestamp(), total);
    }
}
