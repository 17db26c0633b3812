using Spate.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The servers of the process in the meter "Spate", summed by name. Totals of servers that have stopped stay; numbers
/// of threads and sessions do not.
/// </summary>
internal static class ServerMeter
{
    /// <summary>As for sockets: servers of further names count among those without a name.</summary>
    private const int MaxNameCount = 1000;

    private static readonly Lock Lock = new();
    private static readonly HashSet<ServerMetrics> Open = [];
    private static readonly Dictionary<string, long[]> Closed = new(StringComparer.Ordinal)
    {
        [""] = new long[ServerMetrics.FigureCount],
    };

    static ServerMeter() => SpateMeter.ReadServersBy(Read);

    /// <summary>From now on the server counts.</summary>
    public static void Add(ServerMetrics account)
    {
        lock (Lock)
        {
            ClosedOf(account.Name);
            Open.Add(account);
        }
    }

    /// <summary>Called when the server has stopped; further calls do nothing.</summary>
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

    /// <summary>Adds to the totals of a server that has stopped.</summary>
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
