using System.Diagnostics.Metrics;
using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The code of docs/build/metrics.md.</summary>
internal static class Metering
{
    public static async Task NameAsync()
    {
        // docs: names
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999), new UdpSocketOptions { Name = "ingest" });
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { Name = "dns", LocalEndPoints = [UdpEndPoint.Any(53)] },
            _ => new EchoHandler());
        // end
    }

    public static void Print()
    {
        // docs: print
        using MeterListener listener = new();
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Name is "Spate") self.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string attributes = string.Join(' ', tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}"));
            if (value != 0) Console.WriteLine($"{instrument.Name} {attributes}: {value}");
        });
        listener.Start();
        using Timer timer = new(_ => listener.RecordObservableInstruments(), null, 1000, 1000);
        // end
        Console.ReadLine();
    }
}
