using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Spate.Tests;

/// <summary>Threads that use one socket in every way until it is closed, round after round.</summary>
internal sealed class CloseRace : IDisposable
{
    private const int PayloadBytes = 100;

    private readonly ConcurrentQueue<string> _faults = new();
    private readonly Barrier _barrier;
    private readonly string[] _doing;
    private readonly byte[] _payload = new byte[PayloadBytes];
    private UdpSocket? _socket;
    private long _receivedCount;
    private int _callCount;
    private volatile bool _ended;
    private volatile bool _disposed;

    public CloseRace()
    {
        (string Name, Action<UdpSocket> Use)[] users =
        [
            ("Receive", ReceiveBatches), ("ReceiveFrom", ReceiveOnes), ("ReceiveFrom too", ReceiveOnes),
            ("ReceiveAsync", socket => Finish(ReceiveBatchesAsync(socket))),
            ("ReceiveFromAsync", socket => Finish(ReceiveOnesAsync(socket))),
            ("WaitReadableAsync", socket => Finish(WaitAndReceiveAsync(socket))),
            ("SendTo", SendOnes), ("Send", SendBatches),
            ("SendAsync", socket => Finish(SendBatchesAsync(socket))),
            ("SendToAsync", socket => Finish(SendOnesAsync(socket))), ("GetCounters", ReadCounters),
            ("flood", Flood),
        ];
        _doing = new string[users.Length];
        _barrier = new Barrier(users.Length + 1);
        for (int i = 0; i < users.Length; i++)
        {
            int index = i;
            new Thread(() => Run(index, users[index].Name, users[index].Use)) { IsBackground = true }.Start();
        }
    }

    public long ReceivedCount => Interlocked.Read(ref _receivedCount);

    public string Faults => string.Join("; ", _faults.Distinct(StringComparer.Ordinal).Take(10));

    /// <summary>Lets every thread go at the socket.</summary>
    public void Start(UdpSocket socket)
    {
        _socket = socket;
        _ended = false;
        Volatile.Write(ref _callCount, 0);
        _barrier.SignalAndWait();
    }

    public void WaitForCalls(int count)
    {
        var spinner = new SpinWait();
        while (Volatile.Read(ref _callCount) < count) spinner.SpinOnce(sleep1Threshold: -1);
    }

    /// <summary>Whether every call ended; otherwise what is still under way.</summary>
    public bool TryEnd(TimeSpan patience, out string left)
    {
        _ended = true;
        bool ended = _barrier.SignalAndWait(patience);
        left = ended ? string.Empty : string.Join(", ", _doing.Where(name => name.Length > 0));
        return ended;
    }

    public void Dispose()
    {
        _disposed = true;

        // After a failure some thread may hang, and then none is waited for: they are background threads.
        if (_barrier.ParticipantsRemaining == 1 && _barrier.SignalAndWait(TimeSpan.FromSeconds(30))) _barrier.Dispose();
    }

    private void Run(int index, string name, Action<UdpSocket> use)
    {
        while (true)
        {
            _barrier.SignalAndWait();
            if (_disposed) return;
            _doing[index] = name;
            if (Record.Exception(() => use(_socket!)) is { } fault) _faults.Enqueue($"{name}: {fault}");
            _doing[index] = string.Empty;
            _barrier.SignalAndWait();
        }
    }

    // The sender only sends datagrams of one size, so any other one was not sent by anybody.
    private void Note(int lengthBytes)
    {
        Interlocked.Increment(ref _callCount);
        Interlocked.Increment(ref _receivedCount);
        if (lengthBytes != PayloadBytes) _faults.Enqueue($"a datagram of {lengthBytes} bytes that nobody sent");
    }

    private void ReceiveBatches(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (socket.Receive(batch) is var status && status != ReceiveStatus.Closed)
        {
            if (status != ReceiveStatus.Received) _faults.Enqueue($"Receive returned {status}");
            foreach (Datagram datagram in batch) Note(datagram.Payload.Length);
        }
    }

    private void ReceiveOnes(UdpSocket socket)
    {
        byte[] buffer = new byte[2 * PayloadBytes];
        while (socket.ReceiveFrom(buffer, out ReceivedDatagram one) != ReceiveStatus.Closed) Note(one.Length);
    }

    private async Task ReceiveBatchesAsync(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (await socket.ReceiveAsync(batch) == ReceiveStatus.Received)
        {
            for (int i = 0; i < batch.Count; i++) Note(batch.GetPayload(i).Length);
        }
    }

    private async Task WaitAndReceiveAsync(UdpSocket socket)
    {
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (await socket.WaitReadableAsync())
        {
            if (socket.TryReceive(batch) != ReceiveStatus.Received) continue;
            for (int i = 0; i < batch.Count; i++) Note(batch.GetPayload(i).Length);
        }
    }

    private async Task ReceiveOnesAsync(UdpSocket socket)
    {
        byte[] buffer = new byte[2 * PayloadBytes];
        try
        {
            while (true) Note((await socket.ReceiveFromAsync(buffer)).Length);
        }
        catch (ObjectDisposedException)
        {
            // Documented: closed before the call, or while it waited.
        }
    }

    private void SendOnes(UdpSocket socket)
    {
        while (socket.SendTo(_payload, socket.LocalEndPoint).Status != SendStatus.Closed)
            Interlocked.Increment(ref _callCount);
    }

    private async Task SendOnesAsync(UdpSocket socket)
    {
        do Interlocked.Increment(ref _callCount);
        while ((await socket.SendToAsync(_payload, socket.LocalEndPoint)).Status != SendStatus.Closed);
    }

    private void SendBatches(UdpSocket socket)
    {
        using SendBatch batch = socket.CreateSendBatch();
        do
        {
            batch.Clear();
            Fill(batch, socket);
            Interlocked.Increment(ref _callCount);
        }
        while (socket.Send(batch).Status != SendStatus.Closed);
    }

    private async Task SendBatchesAsync(UdpSocket socket)
    {
        using SendBatch batch = socket.CreateSendBatch();
        do
        {
            batch.Clear();
            Fill(batch, socket);
            Interlocked.Increment(ref _callCount);
        }
        while ((await socket.SendAsync(batch)).Status != SendStatus.Closed);
    }

    private void Fill(SendBatch batch, UdpSocket socket)
    {
        for (int i = 0; i < 8; i++) batch.TryAdd(_payload, socket.LocalEndPoint);
    }

    private void ReadCounters(UdpSocket socket)
    {
        long last = 0;
        while (!_ended)
        {
            UdpCounters counters = socket.GetCounters();
            if (counters.DatagramsReceived < last) _faults.Enqueue("counters went back");
            last = counters.DatagramsReceived;
            Thread.Yield();
        }
    }

    private void Flood(UdpSocket socket)
    {
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        IPEndPoint target = socket.LocalEndPoint.ToIPEndPoint();
        while (!_ended) sender.SendTo(_payload, target);
    }

    private static void Finish(Task task) => task.GetAwaiter().GetResult();
}
