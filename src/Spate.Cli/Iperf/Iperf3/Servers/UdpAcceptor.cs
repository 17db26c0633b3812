using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

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

/// <summary>
/// A test that waits for its streams. Requests come on the acceptor's thread; the thread of the test waits, and answers
/// requests that were repeated since an answer was lost.
/// </summary>
internal sealed class StreamWaiter(UdpAddress address, Iperf3Parameters parameters, UdpSocketOptions options)
    : IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<(StreamLink Link, ReceiveBatch Batch, byte[] Answer)> _joined = [];
    private readonly ManualResetEventSlim _isFull = new();
    private bool _isClosed;
    private volatile bool _hasNext;

    /// <summary>The only address that streams may come from: that of the control connection.</summary>
    public UdpAddress Address { get; } = address;

    /// <summary>
    /// iperf3 sends 4 bytes that differ between releases and machines, so nobody looks at them. A repeated request of
    /// this program is a whole datagram with the counter 0. Anything else belongs to an earlier test.
    /// </summary>
    /// <exception cref="SocketException">The system refused the stream's socket.</exception>
    public void Take(in Datagram request, in UdpEndPoint local, PeerSocket.StrayHandler onStray)
    {
        if (!IsRequest(request.Payload)) return;

        lock (_lock)
        {
            UdpEndPoint peer = request.Peer;
            if (_isClosed || _isFull.IsSet || _joined.Exists(one => one.Link.Socket.Peer == peer)) return;

            byte[] answer = AnswerTo(request.Payload);
            (UdpSocket socket, ReceiveBatch batch) = PeerSocket.Open(peer, local, options, onStray);

            // Requests of others that the new socket was given have been taken meanwhile, by this method too.
            if (_isFull.IsSet || _joined.Exists(one => one.Link.Socket.Peer == peer))
            {
                batch.Dispose();
                socket.Dispose();
                return;
            }

            int index = _joined.Count;
            var link = new StreamLink(StreamLink.IdOf(index), parameters.Sends(isClient: false, index), socket);
            _joined.Add((link, batch, answer));
            _ = socket.TrySend(answer);
            if (_joined.Count == parameters.AllStreamCount) _isFull.Set();
        }
    }

    public bool HasNext
    {
        get => _hasNext;
        set => _hasNext = value;
    }

    public int Count
    {
        get
        {
            lock (_lock) return _joined.Count;
        }
    }

    public bool Wait(TimeSpan time)
    {
        bool isFull = _isFull.Wait(time);
        AnswerAgain();
        return isFull;
    }

    public void AnswerAgain()
    {
        lock (_lock)
        {
            foreach ((StreamLink link, ReceiveBatch batch, byte[] answer) in _joined)
            {
                if (link.Socket.TryReceive(batch) == ReceiveStatus.Received) _ = link.Socket.TrySend(answer);
            }
        }
    }

    /// <summary>Gives the streams away, all of which are there. Their sockets belong to the caller.</summary>
    public StreamLink[] TakeLinks()
    {
        lock (_lock)
        {
            StreamLink[] links = [.. _joined.Select(static one => one.Link)];
            foreach ((_, ReceiveBatch batch, _) in _joined) batch.Dispose();
            _joined.Clear();
            _isClosed = true;
            return links;
        }
    }

    /// <summary>Closes the sockets that were not given away.</summary>
    public void Dispose()
    {
        foreach (StreamLink link in TakeLinks()) link.Socket.Dispose();
        _isFull.Dispose();
    }

    private bool IsRequest(ReadOnlySpan<byte> payload) =>
        payload.Length == Iperf3Datagram.ConnectBytes
        || (payload.Length == parameters.LengthBytes
            && Iperf3Datagram.TryRead(payload, parameters.Counters64Bit, out _, out ulong counter)
            && counter == 0);

    // The answer of the client's own release and byte order.
    private static byte[] AnswerTo(ReadOnlySpan<byte> request) =>
        request.SequenceEqual(Iperf3Datagram.LegacyConnectRequest) ? Iperf3Datagram.LegacyConnectReply.ToArray()
        : request.SequenceEqual(Iperf3Datagram.ConnectReply) ? Iperf3Datagram.ConnectRequest.ToArray()
        : Iperf3Datagram.ConnectReply.ToArray();
}
