using System.Collections.Concurrent;
using Spate;

namespace Snippets;

/// <summary>The code of docs/build/many-sockets.md.</summary>
internal static class ManySockets
{
    public static void Poll(IReadOnlyList<UdpSocket> sockets)
    {
        // docs: poller
        using var poller = new UdpPoller<State>();
        foreach (UdpSocket socket in sockets) poller.Add(socket, StateOf(socket));
        using ReceiveBatch batch = sockets[0].CreateReceiveBatch();             // one per thread
        while (poller.Poll(batch, Handle) != PollStatus.Closed) { }             // on each thread

        static void Handle(UdpSocket socket, ReceiveBatch batch, State state)
        {
            foreach (Datagram datagram in batch) state.Bytes += datagram.Payload.Length;    // valid until this returns
        }
        // end
    }

    public static async Task AwaitAsync(
        UdpSocket socket, ConcurrentBag<ReceiveBatch> batches, CancellationToken cancellationToken)
    {
        // docs: awaiting
        while (await socket.WaitReadableAsync(cancellationToken))
        {
            ReceiveBatch batch = batches.TryTake(out ReceiveBatch? free) ? free : socket.CreateReceiveBatch();
            if (socket.TryReceive(batch) == ReceiveStatus.Received) Handle(batch);
            batches.Add(batch);                                                 // a ConcurrentBag<ReceiveBatch>
        }
        // end
    }

    private static State StateOf(UdpSocket socket) => new() { Port = socket.LocalEndPoint.Port };

    private static void Handle(ReceiveBatch batch) => Console.WriteLine(batch.Count);

    private sealed class State
    {
        public int Port { get; init; }

        public long Bytes { get; set; }
    }
}
