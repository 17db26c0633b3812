using System.Diagnostics.Metrics;
using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

/// <summary>What the meter "Spate" tells when it is collected.</summary>
internal static class MeterReadings
{
    /// <summary>
    /// The values by instrument and attributes: <c>spate.drop.count/kernel_socket/datagram</c>, with <c>/name</c> last
    /// where there is one.
    /// </summary>
    public static Dictionary<string, long> Collect()
    {
        // The first use makes the instruments; this may be the first test.
        Assert.True(SpateMeter.OpenCount >= 0);
        Dictionary<string, long> values = new(StringComparer.Ordinal);
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name is "Spate") listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string name = instrument.Name;
            foreach (KeyValuePair<string, object?> tag in tags) name += $"/{tag.Value}";
            values.Add(name, value);
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return values;
    }

    /// <summary>Sockets that earlier tests have forgotten must not go while one is counting.</summary>
    public static Dictionary<string, long> CollectAfterFinalizers()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return Collect();
    }
}
