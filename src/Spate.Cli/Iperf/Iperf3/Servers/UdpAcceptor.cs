using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// The server's UDP port, where streams of all tests begin. A request names no test, so at a time one test of each
/// address waits; it is given what comes from its address, and nobody else is given anything.
/// </summary>
internal sealed class UdpAcceptor : IDisposable
{
    private const int SlotCount = 16;

    // A repeated request is as long as the datagrams of the test.
    private static readonly ReceiveBatchOptions BatchOptions = new() { SlotCount = SlotCount };

    private static readonly TimeSpan PollTime = TimeSpan.FromMilliseconds(100);

    private readonly UdpSocket _socket;
    private readonly ConcurrentDictionary<UdpAddress, StreamWaiter> _waiters = new();
    private readonly Action<string> _onNotice;
    private readonly Thread _thread;
    private volatile bool _isClosed;

    /// <summary>Owns the socket from now on. Notices of refused streams come on the acceptor's thread.</summary>
    public UdpAcceptor(UdpSocket socket, Action<string> onNotice)
    {
        _socket = socket;
        _onNotice = onNotice;
        _thread = new Thread(Main) { IsBackground = true, Name = "spate iperf3 acceptor" };
    }

    public void Start() => _thread.Start();

    /// <summary>Lets a test wait for its streams, unless another one of its address does, which is told.</summary>
    public bool TryEnter(StreamWaiter waiter)
    {
        if (_waiters.TryAdd(waiter.Address, waiter)) return true;
        if (_waiters.TryGetValue(waiter.Address, out StreamWaiter? before)) before.HasNext = true;
        return false;
    }

    /// <summary>Called when the test has its streams, or gives up.</summary>
    public void Leave(StreamWaiter waiter) => _waiters.TryRemove(new(waiter.Address, waiter));

    public void Dispose()
    {
        _isClosed = true;
        _socket.Dispose();
        if (_thread.IsAlive) _thread.Join();
    }

    private void Main()
    {
        using ReceiveBatch batch = _socket.CreateReceiveBatch(BatchOptions);
        while (!_isClosed)
        {
            ReceiveStatus status = _socket.Receive(batch, PollTime);
            if (status == ReceiveStatus.Closed) return;

            if (status != ReceiveStatus.Received) continue;

            foreach (Datagram datagram in batch)
            {
                Take(datagram);
            }
        }
    }

    private void Take(in Datagram datagram)
    {
        // Nobody is at port 0.
        if (datagram.Peer.Port == 0 || !_waiters.TryGetValue(datagram.Peer.Address, out StreamWaiter? waiter)) return;

        int port = _socket.LocalEndPoint.Port;
        UdpEndPoint local = !datagram.LocalAddress.IsDefault ? new UdpEndPoint(datagram.LocalAddress, port)
            : datagram.Peer.IsIPv4 ? UdpEndPoint.Any(port)
            : UdpEndPoint.IPv6Any(port);
        try
        {
            waiter.Take(datagram, local, Take);
        }
        catch (Exception fault)
        {
            // Whatever one client asks for must not end the acceptor for all.
            _onNotice($"a stream of {datagram.Peer} could not be opened: {fault.Message}");
        }
    }
}
