using System.Net;
using Spate;
using Spate.Serving;

namespace Snippets;

/// <summary>The API at a glance: a line per feature.</summary>
internal static class Glance
{
    public static async Task RunAsync(byte[] bytes, UdpEndPoint peer, UdpAddress group, CancellationToken token)
    {
        TimeSpan second = TimeSpan.FromSeconds(1);

        // docs: glance
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999), new UdpSocketOptions  // any number of peers
        {
            Metadata = UdpMetadata.LocalAddress | UdpMetadata.Timestamp,          // recorded with each one
            ReuseAddress = true,                                                  // and some 20 options more
        });
        using UdpSocket client = UdpSocket.Connect(peer);                         // one peer, each call cheaper
        using ReceiveBatch batch = socket.CreateReceiveBatch();                   // reused for every receive
        using SendBatch sends = socket.CreateSendBatch();                         // reused for every send

        ReceiveStatus status = socket.Receive(batch);                             // waits for the first
        status = socket.Receive(batch, second);                                   // TimedOut, no exception
        status = socket.TryReceive(batch);                                        // does not wait
        status = await socket.ReceiveAsync(batch, token);                         // one await, many datagrams
        status = await socket.ReceiveAsync(batch, second, token);                 // for a limited time
        ReceivedDatagram one = await socket.ReceiveFromAsync(bytes, second, token);  // one datagram, one.Status
        foreach (Datagram datagram in batch) sends.TryForward(datagram, peer);    // sent on without a copy
        using DatagramLease lease = batch.Lease(0);                               // keep one payload longer

        sends.TryAdd(bytes, peer);                                                // copied into the batch
        sends.TryReserve(peer, 1200, out Span<byte> room);                        // or written in place
        SendResult result = socket.Send(sends);                                   // Sent, Refused, Remaining
        result = await socket.SendToAsync(bytes, peer, token);                    // one datagram
        socket.JoinMulticastGroup(group);                                         // sources, interfaces too
        UdpCounters counters = socket.GetCounters();                              // with the kernel's drops

        using var poller = new UdpPoller<int>();                                  // 10,000 sockets, few threads
        poller.Add(client, 1);
        await using UdpServer server = UdpServer.Start(                           // threads, shards, six designs
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            shard => new UdpChannelHandler(shard));                               // a bounded channel to await
        var sessions = new SessionTable<int>();                                   // per peer, bounded, ageing
        bool admitted = sessions.GetOrAdmit(peer, out _) == SessionAdmission.Admitted;  // limits against floods
        string why = UdpCapabilities.Current.SegmentedSend.Reason;                // what works here, and why
        // end
        _ = (status, one, result, counters, admitted, why);
    }
}
