using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Spate;

/// <summary>
/// Sends StatsD lines to samples/StatsdCollector, whose Acknowledgements.cs describes the protocol, until each datagram
/// is acknowledged or given up. At most <see cref="Window"/> datagrams are under way.
/// </summary>
internal sealed class StatsdClient : IDisposable
{
    // The collector recognizes repeated datagrams of this many sequence numbers.
    private const int Window = 64;
    private const int HeaderBytes = 13;
    private const int MaxDatagramBytes = 1432;
    private const int MaxTries = 5;

    private readonly UdpEndPoint _collector;
    private readonly UdpSocket _socket;
    private readonly ReceiveBatch _received;
    private readonly SendBatch _sending;
    private readonly RequestTracker<uint> _underWay;   // the sequence numbers; the ids are their slots
    private readonly TimeProvider _time;
    private readonly Slot[] _window = new Slot[Window];   // by sequence number modulo Window

    // An acknowledgement repeats the token, so only a peer that has read a datagram can write one.
    private readonly byte[] _token = RandomNumberGenerator.GetBytes(sizeof(ulong));

    private uint _sequence;

    public StatsdClient(UdpEndPoint collector, TimeSpan firstTimeout, TimeProvider time)
    {
        _time = time;
        _underWay = new RequestTracker<uint>(Window, MaxTries, firstTimeout, time);
        _collector = collector;
        _socket = UdpSocket.Connect(collector);   // the system drops datagrams of all other peers
        _received = _socket.CreateReceiveBatch();
        _sending = _socket.CreateSendBatch(
            new SendBatchOptions { Capacity = Window, BufferBytes = Window * MaxDatagramBytes });
        foreach (ref Slot slot in _window.AsSpan()) slot.Payload = new byte[MaxDatagramBytes];
    }

    public long AcknowledgedLines { get; private set; }

    /// <summary>
    /// Lines without acknowledgement after the last try. The collector may have counted them, if only its
    /// acknowledgements were lost.
    /// </summary>
    public long LostLines { get; private set; }

    /// <summary>Adds a line, such as <c>requests:1|c</c>; waits while the window is full.</summary>
    public void Add(string line)
    {
        int length = Encoding.ASCII.GetByteCount(line) + 1;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, MaxDatagramBytes - HeaderBytes, nameof(line));
        if (Current.Length + length > MaxDatagramBytes) Seal();
        if (Current.Length == 0) WriteHeader();
        Encoding.ASCII.GetBytes(line + "\n", Current.Payload.AsSpan(Current.Length));
        Current.Length += length;
        Current.LineCount++;
    }

    /// <summary>Sends the added lines, and waits until they are acknowledged or lost.</summary>
    public void Flush()
    {
        if (Current.Length > 0) Seal();
        while (_underWay.Count > 0 && TryPass()) continue;
    }

    public void Dispose()
    {
        _sending.Dispose();
        _received.Dispose();
        _socket.Dispose();
    }

    private int SlotIndex => (int)(_sequence % Window);

    private ref Slot Current => ref _window[SlotIndex];

    private void WriteHeader()
    {
        Span<byte> header = Current.Payload.AsSpan(0, HeaderBytes);
        header[0] = 0;
        _token.CopyTo(header[1..]);
        BinaryPrimitives.WriteUInt32BigEndian(header[9..], _sequence);
        Current.Length = HeaderBytes;
        Current.LineCount = 0;
    }

    private void Seal()
    {
        _underWay.TryAdd(SlotIndex, _collector, _sequence++);
        while (_underWay.TryFind(SlotIndex, _collector, out _) && TryPass()) continue;
        Current.Length = 0;
    }

    // Sends all datagrams that are due in one call, and takes acknowledgements until the next datagram is due.
    private bool TryPass()
    {
        SendDue();
        if (_underWay.Count == 0) return true;
        if (_socket.Receive(_received, _underWay.UntilDue) == ReceiveStatus.Closed) return false;
        foreach (Datagram datagram in _received) TakeAcknowledgement(datagram);
        return true;
    }

    private void SendDue()
    {
        long now = _time.GetTimestamp();
        while (_underWay.TryTakeDue(now, out DueRequest<uint> due))
        {
            ref Slot slot = ref _window[due.Id];
            if (due.IsLost)
            {
                LostLines += slot.LineCount;
                continue;
            }

            _sending.TryReserve(slot.Length, out Span<byte> payload);
            slot.Payload.AsSpan(0, slot.Length).CopyTo(payload);
        }

        _socket.Send(_sending);
    }

    private void TakeAcknowledgement(in Datagram datagram)
    {
        ReadOnlySpan<byte> payload = datagram.Payload;
        if (payload.Length != HeaderBytes || payload[0] != 0 || !payload[1..].StartsWith(_token)) return;
        uint sequence = BinaryPrimitives.ReadUInt32BigEndian(payload[9..]);
        int slot = (int)(sequence % Window);
        if (!_underWay.TryFind(slot, datagram.Peer, out uint sent) || sent != sequence) return;
        _underWay.TryComplete(slot, datagram.Peer);
        AcknowledgedLines += _window[slot].LineCount;
    }

    private struct Slot
    {
        public byte[] Payload;
        public int Length;
        public int LineCount;
    }
}
