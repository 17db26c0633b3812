using System.Diagnostics.Metrics;

namespace Spate.Tests.Gateway.Diagnostics;

/// <summary>What the meter "Spate.Gateway" tells of the gateways of one name.</summary>
internal static class GatewayMeterReadings
{
    /// <summary>The values by instrument and further attributes: <c>spate.gateway.drop.count/shutdown</c>.</summary>
    public static Dictionary<string, long> Collect(string name)
    {
        Dictionary<string, long> values = new(StringComparer.Ordinal);
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name is "Spate.Gateway") listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string key = instrument.Name;
            bool isOfThem = false;
            foreach ((string tag, object? tagValue) in tags)
            {
                if (tag is "spate.name") isOfThem = name.Equals(tagValue as string, StringComparison.Ordinal);
                else key += $"/{tagValue}";
            }

            if (isOfThem) values.Add(key, value);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return values;
    }
}
