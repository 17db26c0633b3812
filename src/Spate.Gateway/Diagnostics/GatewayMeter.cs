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
    private static readonly HashSet<UdpGateway> Open = [];
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
    public static void Add(UdpGateway gateway)
    {
        lock (Lock)
        {
            ClosedOf(gateway);
            Open.Add(gateway);
        }
    }

    /// <summary>Called when the gateway has stopped; further calls do nothing.</summary>
    public static void Remove(UdpGateway gateway)
    {
        lock (Lock)
        {
            if (!Open.Remove(gateway)) return;
            GatewayStatistics statistics = gateway.GetStatistics();
            Dictionary<GatewayMeterFigure, long> sums = ClosedOf(gateway);
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

            foreach (UdpGateway gateway in Open)
            {
                GatewayStatistics statistics = gateway.GetStatistics();
                long[] sum = sums[NameOf(gateway)];
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

    private static Dictionary<GatewayMeterFigure, long> ClosedOf(UdpGateway gateway)
    {
        string name = gateway.Name ?? "";
        if (!Closed.ContainsKey(name) && Closed.Count >= MaxNameCount) name = "";
        if (!Closed.TryGetValue(name, out Dictionary<GatewayMeterFigure, long>? sums)) Closed[name] = sums = [];
        return sums;
    }

    private static string NameOf(UdpGateway gateway)
    {
        string name = gateway.Name ?? "";
        return Closed.ContainsKey(name) ? name : "";
    }
}
