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

    private readonly UdpSocket _socket;
    private readonly ReceiveBatch _received;
    private readonly SendBatch _sending;
    private readonly TimeSpan _firstTimeout;
    private readonly TimeProvider _time;
    private readonly Slot[] _window = new Slot[Window];   // by sequence number modulo Window

    // An acknowledgement repeats the token, so only a peer that has read a datagram can write one.
    private readonly byte[] _token = RandomNumberGenerator.GetBytes(sizeof(ulong));

    private uint _sequence;

    public StatsdClient(UdpEndPoint collector, TimeSpan firstTimeout, TimeProvider time)
    {
        (_firstTimeout, _time) = (firstTimeout, time);
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
        while (_window.Any(static slot => slot.IsUnderWay) && TryPass()) continue;
    }

    public void Dispose()
    {
        _sending.Dispose();
        _received.Dispose();
        _socket.Dispose();
    }

    private ref Slot Current => ref _window[_sequence % Window];

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
        Current.Sequence = _sequence;
        Current.IsUnderWay = true;
        Current.Tries = 0;
        Current.DueAt = _time.GetTimestamp();
        _sequence++;
        while (Current.IsUnderWay && TryPass()) continue;
        Current.Length = 0;
    }

    // Sends all datagrams that are due in one call, and takes acknowledgements until the next datagram is due.
    private bool TryPass()
    {
        SendDue();
        if (_socket.Receive(_received, UntilDue()) == ReceiveStatus.Closed) return false;
        foreach (Datagram datagram in _received) TakeAcknowledgement(datagram.Payload);
        return true;
    }

    private void SendDue()
    {
        long now = _time.GetTimestamp();
        foreach (ref Slot slot in _window.AsSpan())
        {
            if (!slot.IsUnderWay || slot.DueAt > now) continue;
            if (slot.Tries == MaxTries)
            {
                slot.IsUnderWay = false;
                LostLines += slot.LineCount;
                continue;
            }

            _sending.TryReserve(slot.Length, out Span<byte> payload);
            slot.Payload.AsSpan(0, slot.Length).CopyTo(payload);
            slot.DueAt = now + (long)(_firstTimeout.TotalSeconds * _time.TimestampFrequency * (1 << slot.Tries));
            slot.Tries++;
        }

        _socket.Send(_sending);
    }

    private TimeSpan UntilDue()
    {
        long dueAt = long.MaxValue;
        foreach (ref Slot slot in _window.AsSpan())
        {
            if (slot.IsUnderWay) dueAt = Math.Min(dueAt, slot.DueAt);
        }

        if (dueAt == long.MaxValue) return TimeSpan.Zero;
        TimeSpan left = _time.GetElapsedTime(_time.GetTimestamp(), dueAt);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private void TakeAcknowledgement(ReadOnlySpan<byte> payload)
    {
        if (payload.Length != HeaderBytes || payload[0] != 0 || !payload[1..].StartsWith(_token)) return;
        uint sequence = BinaryPrimitives.ReadUInt32BigEndian(payload[9..]);
        ref Slot slot = ref _window[sequence % Window];
        if (!slot.IsUnderWay || slot.Sequence != sequence) return;
        slot.IsUnderWay = false;
        AcknowledgedLines += slot.LineCount;
    }

    private struct Slot
    {
        public byte[] Payload;
        public int Length;
        public int LineCount;
        public uint Sequence;
        public bool IsUnderWay;
        public int Tries;
        public long DueAt;
    }
}
