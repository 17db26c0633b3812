using Spate.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// Sums the totals of all servers of the process by server name, for the meter "Spate". The totals of a stopped server
/// stay in the sums, except for its numbers of threads and sessions.
/// </summary>
internal static class ServerMeter
{
    /// <summary>
    /// The largest number of names that have sums of their own; the socket metrics have the same limit. Servers with
    /// any further name are counted together with the servers that have no name.
    /// </summary>
    private const int MaxNameCount = 1000;

    private static readonly Lock Lock = new();
    private static readonly HashSet<ServerMetrics> Open = [];
    private static readonly Dictionary<string, long[]> Closed = new(StringComparer.Ordinal)
    {
        [""] = new long[ServerMetrics.FigureCount],
    };

    static ServerMeter() => SpateMeter.ReadServersBy(Read);

    /// <summary>Adds a server that has started: from now on its totals are in the sums.</summary>
    public static void Add(ServerMetrics account)
    {
        lock (Lock)
        {
            ClosedOf(account.Name);
            Open.Add(account);
        }
    }

    /// <summary>
    /// Called when a server has stopped: adds its final totals to the sums of its name. Further calls do nothing.
    /// </summary>
    public static void Remove(ServerMetrics account)
    {
        lock (Lock)
        {
            if (!Open.Remove(account) || !account.TryClose()) return;
            long[] last = new long[ServerMetrics.FigureCount];
            account.AddTo(last);
            last[(int)ServerMetric.Threads] = 0;
            last[(int)ServerMetric.Sessions] = 0;
            long[] sums = ClosedOf(account.Name);
            for (int i = 0; i < sums.Length; i++) sums[i] += last[i];
        }
    }

    /// <summary>Adds a count to one of the sums of a name. Used for servers that have already stopped.</summary>
    public static void AddClosed(string name, ServerMetric figure, int count)
    {
        lock (Lock) ClosedOf(name)[(int)figure] += count;
    }

    private static IEnumerable<KeyValuePair<string, long[]>> Read()
    {
        lock (Lock)
        {
            Dictionary<string, long[]> sums = new(StringComparer.Ordinal);
            foreach ((string name, long[] closed) in Closed) sums[name] = [.. closed];
            foreach (ServerMetrics account in Open) account.AddTo(sums.GetValueOrDefault(account.Name, sums[""]));
            return sums;
        }
    }

    private static long[] ClosedOf(string name)
    {
        if (Closed.TryGetValue(name, out long[]? sums)) return sums;
        return Closed.Count > MaxNameCount ? Closed[""] : Closed[name] = new long[ServerMetrics.FigureCount];
    }
}
