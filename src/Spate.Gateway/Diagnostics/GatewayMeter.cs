using System.Diagnostics.Metrics;

namespace Spate.Gateway.Diagnostics;

/// <summary>
/// The meter "Spate.Gateway" over all gateways of the process, summed by name. Nothing is done until somebody collects.
/// Totals of gateways that have stopped stay.
/// </summary>
internal static class GatewayMeter
{
    /// <summary>Gateways of further names count among those without a name, so that names cannot fill memory.</summary>
    private const int MaxNameCount = 1000;

    private static readonly Meter Meter =
        new("Spate.Gateway", typeof(GatewayMeter).Assembly.GetName().Version?.ToString(3));

    private static readonly Lock Lock = new();
    private static readonly Dictionary<object, (string Name, Func<GatewayStatistics> Read)> Open = [];
    private static readonly Dictionary<string, Dictionary<GatewayMeterFigure, long>> Closed =
        new(StringComparer.Ordinal);

    static GatewayMeter()
    {
        foreach (GatewayMeterRow row in GatewayMeterTable.Rows)
        {
            if (row.GoesDown) Meter.CreateObservableUpDownCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
            else Meter.CreateObservableCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
        }
    }

    /// <summary>From now on the gateway counts.</summary>
    /// <param name="gateway">The gateway, by which <see cref="Remove"/> finds it.</param>
    /// <param name="name">Its name; null for none.</param>
    /// <param name="read">Reads its statistics.</param>
    public static void Add(object gateway, string? name, Func<GatewayStatistics> read)
    {
        lock (Lock)
        {
            string counted = name ?? "";
            if (!Closed.ContainsKey(counted) && Closed.Count >= MaxNameCount) counted = "";
            Closed.TryAdd(counted, []);
            Open.Add(gateway, (counted, read));
        }
    }

    /// <summary>Called when the gateway has stopped; further calls do nothing.</summary>
    public static void Remove(object gateway)
    {
        lock (Lock)
        {
            if (!Open.Remove(gateway, out (string Name, Func<GatewayStatistics> Read) entry)) return;
            GatewayStatistics statistics = entry.Read();
            Dictionary<GatewayMeterFigure, long> sums = Closed[entry.Name];
            foreach (GatewayMeterRow row in GatewayMeterTable.Rows)
            {
                if (row.GoesDown) continue;
                foreach (GatewayMeterFigure figure in row.Figures)
                    sums[figure] = sums.GetValueOrDefault(figure) + figure.Read(statistics);
            }
        }
    }

    private static List<Measurement<long>> Read(GatewayMeterRow row)
    {
        lock (Lock)
        {
            Dictionary<string, long[]> sums = new(StringComparer.Ordinal);
            foreach ((string name, Dictionary<GatewayMeterFigure, long> closed) in Closed)
            {
                sums[name] = Array.ConvertAll(row.Figures, figure => closed.GetValueOrDefault(figure));
            }

            foreach ((string name, Func<GatewayStatistics> read) in Open.Values)
            {
                GatewayStatistics statistics = read();
                long[] sum = sums[name];
                for (int i = 0; i < sum.Length; i++) sum[i] += row.Figures[i].Read(statistics);
            }

            List<Measurement<long>> found = [];
            foreach ((string name, long[] sum) in sums)
            {
                for (int i = 0; i < sum.Length; i++)
                    found.Add(new(sum[i], GatewayMeterTable.TagsOf(row.Figures[i], name)));
            }

            return found;
        }
    }
}
