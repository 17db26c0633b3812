using Spate.Serving;

namespace StatsdCollector;

/// <summary>Reads the datagrams that the server's thread hands over.</summary>
internal sealed class Collector(UdpChannelHandler handler, MetricTable metrics)
{
    private readonly Acknowledgements _acknowledgements = new();

    /// <summary>Runs until the server has ended.</summary>
    public async Task RunAsync()
    {
        await foreach (UdpChannelDatagram datagram in handler.Reader.ReadAllAsync())
        {
            using (datagram) Take(datagram);
        }
    }

    private void Take(in UdpChannelDatagram datagram)
    {
        if (!_acknowledgements.TryRead(
            datagram.Peer, datagram.Payload.Span, out ReadOnlySpan<byte> lines, out ReadOnlySpan<byte> acknowledgement))
        {
            metrics.Refuse();
            return;
        }

        metrics.Add(lines);

        // After the lines are counted. An acknowledgement that finds no room is lost: the sender asks again.
        if (!acknowledgement.IsEmpty) datagram.TryReply(acknowledgement);
    }
}
