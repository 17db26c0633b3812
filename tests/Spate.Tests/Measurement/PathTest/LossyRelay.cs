using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>
/// A path over the loopback between the client and the server of a test, on a thread of its own. It loses, duplicates,
/// reorders, delays and damages data by its seed, and knows what it did. It also loses, duplicates and delays control.
/// </summary>
/// <remarks>
/// What happens to a datagram follows from the seed, the direction, the flow and its sequence, so it does not depend on
/// the time. The truth is taken when a datagram is passed on. A finish waits for all data, so no end stops before it.
/// </remarks>
internal sealed class LossyRelay : IDisposable
{
    private const int BufferBytes = 1 << 20;
    private const double ControlLossShare = 0.2;
    private const double ControlCopyShare = 0.1;
    private const int MaxControlDelayMilliseconds = 30;

    private readonly Random _control;
    private readonly Socket _front = Open();
    private readonly IPEndPoint _server;
    private readonly Dictionary<EndPoint, Way> _ways = [];
    private readonly PriorityQueue<Parcel, (long Ticks, long Order)> _delayed = new();
    private readonly List<Parcel> _finishes = [];
    private readonly LossyStream[][] _streams;
    private readonly Thread _thread;
    private Exception? _fault;
    private long _order;
    private int _delayedData;
    private bool _hasReadData;
    private volatile bool _isStopped;

    /// <param name="seed">Decides everything.</param>
    /// <param name="server">Where the server listens.</param>
    /// <param name="flowCount">The flows of the test.</param>
    /// <param name="datagramCount">The datagrams of each direction, all flows together.</param>
    public LossyRelay(int seed, UdpEndPoint server, int flowCount, int datagramCount)
    {
        _control = new Random(seed);
        _server = server.ToIPEndPoint();
        var random = new Random(seed);
        _streams =
        [
            .. Enumerable.Range(0, 2).Select(_ => Enumerable.Range(0, flowCount).Select(index => new LossyStream(
                new Random(random.Next()),
                (datagramCount / flowCount) + (index < datagramCount % flowCount ? 1 : 0))).ToArray()),
        ];
        _front.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _thread = new Thread(Main) { IsBackground = true, Name = "lossy relay" };
        _thread.Start();
    }

    /// <summary>The address that clients are given for the server's.</summary>
    public UdpEndPoint EndPoint => UdpEndPoint.FromIPEndPoint((IPEndPoint)_front.LocalEndPoint!);

    /// <summary>What a direction's streams must be counted as, all together; read when the relay has stopped.</summary>
    public SequenceCounts CountsOf(bool isForward) => StreamsOf(isForward).Aggregate(
        default(SequenceCounts), static (sum, stream) => sum + stream.Truth.Counts);

    /// <summary>The damaged datagrams of a direction that were passed on.</summary>
    public long CorruptedOf(bool isForward) => StreamsOf(isForward).Sum(static stream => stream.Corrupted);

    /// <summary>Stops the thread; throws what made it fail.</summary>
    public void Stop()
    {
        _isStopped = true;
        _thread.Join();
        if (_fault is not null) throw new InvalidOperationException("The relay failed.", _fault);
    }

    public void Dispose()
    {
        _isStopped = true;
        _thread.Join();
        _front.Dispose();
        foreach (Way way in _ways.Values) way.Upstream.Dispose();
    }

    private static Socket Open() => new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
    {
        ReceiveBufferSize = BufferBytes,
        SendBufferSize = BufferBytes,
    };

    private LossyStream[] StreamsOf(bool isForward) => _streams[isForward ? 0 : 1];

    private void Main()
    {
        try
        {
            byte[] buffer = new byte[ushort.MaxValue];
            while (!_isStopped) Turn(buffer);
        }
        catch (Exception fault)
        {
            _fault = fault;
        }
    }

    /// <summary>Reads all that has come, and passes on what is due.</summary>
    private void Turn(byte[] buffer)
    {
        List<Socket> ready = [_front, .. _ways.Values.Select(static way => way.Upstream)];
        Socket.Select(ready, checkWrite: null, checkError: null, microSeconds: 1000);
        _hasReadData = false;
        if (ready.Contains(_front)) ReadFront(buffer);
        foreach (Way way in _ways.Values) ReadUpstream(way, buffer);
        while (_delayed.TryPeek(out _, out (long Ticks, long Order) due) && due.Ticks <= Stopwatch.GetTimestamp())
        {
            PassOn(_delayed.Dequeue());
        }

        // A finish that cannot pass is lost; its sender repeats it.
        if (!_hasReadData && _delayedData == 0) _finishes.ForEach(PassOn);
        _finishes.Clear();
    }

    private void ReadFront(byte[] buffer)
    {
        while (_front.Available > 0)
        {
            EndPoint client = new IPEndPoint(IPAddress.Any, 0);
            int length = _front.ReceiveFrom(buffer, ref client);
            if (!_ways.TryGetValue(client, out Way? way))
            {
                way = new Way(client, Open());
                way.Upstream.Connect(_server);
                _ways.Add(client, way);
            }

            Take(way, isForward: true, buffer[..length]);
        }
    }

    private void ReadUpstream(Way way, byte[] buffer)
    {
        while (way.Upstream.Available > 0)
        {
            int length = way.Upstream.Receive(buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success) Take(way, isForward: false, buffer[..length]);
        }
    }

    private void Take(Way way, bool isForward, byte[] payload)
    {
        if (TestDatagram.TryRead(payload, out TestDatagram datagram))
        {
            _hasReadData = true;
            LossyStream stream = StreamsOf(isForward)[way.Flow];
            foreach (LossyStream.Copy copy in stream.CopiesOf(datagram.Sequence))
            {
                byte[] copied = [.. payload];
                if (copy.DamagedBit is { } bit) copied[bit / 8] ^= (byte)(1 << (bit % 8));
                long sequence = copy.DamagedBit is null ? datagram.Sequence : -1;
                Delay(new Parcel(way, isForward, copied, stream, sequence), copy.DelayMilliseconds);
            }
        }
        else if (ControlMessage.TryRead(payload, out ControlMessage message))
        {
            if (message.Kind == ControlKind.Join) way.Flow = (int)message.Number;
            TakeControl(new Parcel(way, isForward, payload, null, 0), isFinish: message.Kind == ControlKind.Finish);
        }
    }

    private void TakeControl(Parcel parcel, bool isFinish)
    {
        if (_control.NextDouble() < ControlLossShare) return;

        if (isFinish)
        {
            _finishes.Add(parcel);
            return;
        }

        int copies = _control.NextDouble() < ControlCopyShare ? 2 : 1;
        for (; copies > 0; copies--) Delay(parcel, _control.Next(MaxControlDelayMilliseconds));
    }

    private void Delay(Parcel parcel, int milliseconds)
    {
        if (parcel.Stream is not null) _delayedData++;
        long due = Stopwatch.GetTimestamp() + (milliseconds * Stopwatch.Frequency / 1000);
        _delayed.Enqueue(parcel, (due, _order++));
    }

    private void PassOn(Parcel parcel)
    {
        if (parcel.Stream is { } stream)
        {
            _delayedData--;
            stream.Note(parcel.Sequence);
        }

        if (!parcel.IsForward) _ = _front.SendTo(parcel.Payload, parcel.Way.Client);
        else Send(parcel.Way.Upstream, parcel.Payload);
    }

    private static void Send(Socket upstream, byte[] payload)
    {
        try
        {
            _ = upstream.Send(payload);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.ConnectionRefused)
        {
            // The answer to an earlier datagram: a flow's socket has been closed. Nothing that counts is sent then.
        }
    }

    /// <summary>A socket of the client, and the relay's own socket that stands for it at the server.</summary>
    private sealed class Way(EndPoint client, Socket upstream)
    {
        public EndPoint Client { get; } = client;

        public Socket Upstream { get; } = upstream;

        /// <summary>The number of the flow, known from its join.</summary>
        public int Flow { get; set; }
    }

    /// <summary>A datagram under way; the stream is null for control, the sequence -1 for a damaged copy.</summary>
    private sealed record Parcel(Way Way, bool IsForward, byte[] Payload, LossyStream? Stream, long Sequence);
}
