using System.Diagnostics;

namespace Spate.Segmentation;

/// <summary>
/// The GSO messages of a send batch in the order in which they are sent, and the progress of the send. The messages are
/// planned while datagrams are added. Datagrams of one peer keep their order. The datagrams of peers that alternate are
/// gathered per peer, so the order between peers may change. The arrays are reused; they grow when needed, up to the
/// capacity.
/// </summary>
internal sealed class SendPlan
{
    public const int None = -1;

    private const int InitialCount = 64;

    private readonly GsoLimits _limits;
    private readonly int _capacity;
    private readonly OpenGsoIndex _openMessages;
    private GsoMessage[] _messages;
    private GsoIovec[] _iovecs;
    private int _messageCount;
    private int _iovecCount;
    private int _begunCount;
    private int _newestMessage = None;
    private ulong _generation = 1;
    private int _settledCount;
    private int _doneCount;

    /// <summary>
    /// The open run: the datagrams that were added last. They are in no GSO message until <see cref="Settle"/> puts
    /// them there.
    /// </summary>
    public SendRun Open;

    /// <param name="limits">The limits of one GSO message.</param>
    /// <param name="capacity">The most datagrams that are added between two calls of Clear.</param>
    public SendPlan(in GsoLimits limits, int capacity)
    {
        _limits = limits;
        _capacity = capacity;
        _messages = new GsoMessage[Math.Min(capacity, InitialCount)];
        _iovecs = new GsoIovec[Math.Min(capacity, InitialCount)];
        _openMessages = new OpenGsoIndex(capacity);
        Open.Buffer = [];
        EndOpenRun();
    }

    /// <summary>The number of datagrams added since the last <see cref="Clear"/>.</summary>
    public int AddedCount => _settledCount + Open.SegmentCount;

    /// <summary>The number of datagrams that are neither sent nor refused.</summary>
    public int Count => AddedCount - _doneCount;

    /// <summary>
    /// As <see cref="Count"/>, without the open run, to which another thread can add during a send although it is
    /// forbidden.
    /// </summary>
    public int UnsentCount => Count - Open.SegmentCount;

    /// <summary>
    /// All GSO messages, including those already sent. The datagrams of the open run are not among them yet.
    /// </summary>
    public ReadOnlySpan<GsoMessage> Messages => _messages.AsSpan(0, _messageCount);

    /// <summary>The GSO messages that were made after the last send began.</summary>
    public ReadOnlySpan<GsoMessage> FreshMessages => _messages.AsSpan(_begunCount, _messageCount - _begunCount);

    public ReadOnlySpan<GsoIovec> Iovecs => _iovecs.AsSpan(0, _iovecCount);

    /// <summary>The index of the first GSO message that is not completely sent.</summary>
    public int NextMessage { get; private set; }

    /// <summary>
    /// The index of the first segment of <see cref="NextMessage"/> that is not sent. Above 0 only while the GSO message
    /// is sent as single datagrams, for example after a GSO fallback.
    /// </summary>
    public int NextSegment { get; private set; }

    /// <summary>
    /// Whether GSO messages are still to be sent. The send loop tests this and not <see cref="Count"/>, because another
    /// thread that reserves during the send, which is forbidden, could change <see cref="Count"/>.
    /// </summary>
    public bool HasUnsent => NextMessage < _messageCount;

    /// <summary>Adds a datagram, to be sent after the earlier datagrams of its peer.</summary>
    public void Add(in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        Debug.Assert(AddedCount < _capacity, "The caller checks the capacity.");
        if (Open.TryExtend(peer, controlIndex, buffer, offsetBytes, lengthBytes)) return;
        Settle();
        Open.Start(peer, controlIndex, buffer, offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Gives the peer of a connected socket to all datagrams that have no peer and were added after the last send
    /// began. Called before <see cref="Begin"/>. The datagrams keep this peer even if another socket has to send them
    /// in the end.
    /// </summary>
    public void NameDefaultPeer(in UdpEndPoint remote)
    {
        Settle();
        foreach (ref GsoMessage message in _messages.AsSpan(_begunCount, _messageCount - _begunCount))
        {
            if (message.PeerBytes != 0) continue;
            message.Peer = remote;
            message.PeerBytes = remote.NativeLength;
        }
    }

    /// <summary>
    /// Begins or continues a send. Datagrams that are added from now on join no existing GSO message, so the datagrams
    /// of each peer stay in order even if only a part of them is sent.
    /// </summary>
    public void Begin()
    {
        Settle();
        _begunCount = _messageCount;
        _newestMessage = None;
        _generation++;
    }

    /// <summary>
    /// Notes that the next <paramref name="segmentCount"/> datagrams of the next GSO message were sent or refused.
    /// </summary>
    public void Advance(int segmentCount)
    {
        Debug.Assert(
            HasUnsent && segmentCount > 0 && segmentCount <= _messages[NextMessage].SegmentCount - NextSegment,
            "A datagram is sent or refused once, and no call ends more than it began.");
        _doneCount += segmentCount;
        NextSegment += segmentCount;
        if (NextSegment < _messages[NextMessage].SegmentCount) return;
        NextMessage++;
        NextSegment = 0;
        Debug.Assert(HasUnsent ? _doneCount < _settledCount : _doneCount == _settledCount);
    }

    public void Clear()
    {
        // Unused iovecs must not keep forwarded buffers alive.
        _iovecs.AsSpan(0, _iovecCount).Clear();
        Open.Buffer = [];
        EndOpenRun();
        _generation++;
        _newestMessage = None;
        _messageCount = 0;
        _iovecCount = 0;
        _begunCount = 0;
        _settledCount = 0;
        _doneCount = 0;
        NextMessage = 0;
        NextSegment = 0;
    }

    /// <summary>The payload of one datagram of a GSO message. Each segment is completely inside one iovec.</summary>
    public ReadOnlySpan<byte> SegmentOf(in GsoMessage message, int segmentIndex)
    {
        Debug.Assert((uint)segmentIndex < (uint)message.SegmentCount);
        int offsetBytes = segmentIndex * message.SegmentBytes;
        int lengthBytes = segmentIndex == message.SegmentCount - 1 ? message.LastBytes : message.SegmentBytes;
        int iovecIndex = message.FirstIovec;
        while (true)
        {
            ref readonly GsoIovec iovec = ref _iovecs[iovecIndex];
            if (offsetBytes < iovec.LengthBytes || iovec.Next < 0)
            {
                Debug.Assert(offsetBytes + lengthBytes <= iovec.LengthBytes, "A segment crosses no iovec's end.");
                return iovec.Buffer.AsSpan(iovec.OffsetBytes + offsetBytes, lengthBytes);
            }
            offsetBytes -= iovec.LengthBytes;
            iovecIndex = iovec.Next;
        }
    }

    /// <summary>
    /// Moves the datagrams of the open run into GSO messages: first into the newest GSO message of their peer if there
    /// is room, the rest into new GSO messages.
    /// </summary>
    public void Settle()
    {
        ref SendRun run = ref Open;
        int messageIndex = run.SegmentCount > 0 ? NewestMessageOf(in run) : None;
        int offsetBytes = run.OffsetBytes;
        for (int leftCount = run.SegmentCount; leftCount > 0;)
        {
            int takenCount = messageIndex >= 0 ? RoomIn(_messages[messageIndex], run, offsetBytes, leftCount) : 0;
            if (takenCount == 0)
            {
                messageIndex = AddMessage(run, leftCount == 1 ? run.LastBytes : run.SegmentBytes);

                // An empty or oversized datagram fits into no GSO message, so it is sent as a GSO message of its own.
                takenCount = Math.Max(1, RoomIn(_messages[messageIndex], run, offsetBytes, leftCount));
            }

            int lastBytes = takenCount == leftCount ? run.LastBytes : run.SegmentBytes;
            int takenBytes = ((takenCount - 1) * run.SegmentBytes) + lastBytes;
            ref GsoMessage message = ref _messages[messageIndex];
            AddBytes(ref message, run.Buffer, offsetBytes, takenBytes);
            message.SegmentCount += takenCount;
            message.TotalBytes += takenBytes;
            message.LastBytes = lastBytes;
            RequireSendable(in message);
            Debug.Assert(messageIndex >= _begunCount, "Nothing joins a GSO message that a send may have begun.");
            Debug.Assert(message.Peer.Equals(in run.Peer) && message.ControlIndex == run.ControlIndex);
            offsetBytes += takenBytes;
            leftCount -= takenCount;
            _newestMessage = messageIndex;
        }

        _settledCount += run.SegmentCount;
        EndOpenRun();
    }

    /// <summary>Ends the open run, so that no datagram can be added to it.</summary>
    private void EndOpenRun()
    {
        Open.SegmentCount = 0;
        Open.SegmentBytes = 0;
        Open.LimitBytes = SendRun.NoLimit;
    }

    /// <summary>
    /// The newest GSO message of the run's peer; <see cref="None"/> if the run may not join that message.
    /// </summary>
    private int NewestMessageOf(in SendRun run)
    {
        if (_limits.MaxSegmentCount <= 1 || _newestMessage == None) return None;
        int messageIndex = _newestMessage;
        ref readonly UdpEndPoint lastPeer = ref _messages[messageIndex].Peer;
        if (!lastPeer.Equals(in run.Peer))
        {
            if (lastPeer.IsDefault != run.Peer.IsDefault)
            {
                // The default peer (the peer of the connected socket) may be the same as an explicit peer, and the
                // datagrams of one peer must stay in order. So the run joins no earlier GSO message.
                _generation++;
                return None;
            }

            messageIndex = _openMessages.PassTo(run.Peer, messageIndex, Messages, _generation);
        }

        // A run with other send options (control) starts a new GSO message; later runs cannot join the earlier message
        // any more.
        return messageIndex >= 0 && _messages[messageIndex].ControlIndex == run.ControlIndex ? messageIndex : None;
    }

    /// <summary>
    /// The number of the run's remaining datagrams, from the next datagram on, that fit into a GSO message.
    /// </summary>
    private int RoomIn(in GsoMessage message, in SendRun run, int offsetBytes, int leftCount)
    {
        int nextBytes = leftCount == 1 ? run.LastBytes : run.SegmentBytes;
        int roomCount = _limits.MaxSegmentCount - message.SegmentCount;
        int roomBytes = _limits.MaxTotalBytes - message.TotalBytes;
        if (message.LastBytes != message.SegmentBytes
            || (uint)(nextBytes - 1) >= (uint)message.SegmentBytes
            || roomCount <= 0
            || nextBytes > roomBytes
            || (message.IovecCount >= _limits.MaxIovecCount && !Adjoins(message, run.Buffer, offsetBytes)))
        {
            return 0;
        }

        // A shorter datagram must be the last of the GSO message.
        if (leftCount == 1 || nextBytes < message.SegmentBytes) return 1;
        long leftBytes = ((long)(leftCount - 1) * nextBytes) + run.LastBytes;
        bool lastFits = (uint)(run.LastBytes - 1) < (uint)nextBytes;
        if (leftCount <= roomCount && leftBytes <= roomBytes && lastFits) return leftCount;
        return Math.Min(Math.Min(roomCount, roomBytes / nextBytes), leftCount - 1);
    }

    /// <summary>
    /// Adds a GSO message that has no iovecs yet. <paramref name="segmentBytes"/> is the size of its segments.
    /// </summary>
    private int AddMessage(in SendRun run, int segmentBytes)
    {
        // Each GSO message and each iovec contains at least one datagram, so neither array needs more entries than the
        // capacity.
        int index = _messageCount;
        Debug.Assert(index < _capacity);
        if (index == _messages.Length) Array.Resize(ref _messages, Math.Min(_capacity, 2 * index));
        ref GsoMessage message = ref _messages[index];
        message = default;
        message.Peer = run.Peer;
        message.PeerBytes = run.PeerBytes;
        message.ControlIndex = run.ControlIndex;
        message.FirstIovec = None;
        message.SegmentBytes = segmentBytes;
        message.LastBytes = segmentBytes;
        _messageCount = index + 1;
        return index;
    }

    /// <summary>
    /// Appends bytes to a GSO message. If the bytes directly follow the last iovec in memory, that iovec is extended;
    /// otherwise the bytes get a new iovec.
    /// </summary>
    private void AddBytes(ref GsoMessage message, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (message.IovecCount > 0 && Adjoins(in message, buffer, offsetBytes))
        {
            _iovecs[message.LastIovec].LengthBytes += lengthBytes;
            return;
        }

        int index = _iovecCount;
        Debug.Assert(index < _capacity);
        if (index == _iovecs.Length) Array.Resize(ref _iovecs, Math.Min(_capacity, 2 * index));
        _iovecs[index] = new GsoIovec
        {
            Buffer = buffer,
            OffsetBytes = offsetBytes,
            LengthBytes = lengthBytes,
            Next = None,
        };
        if (message.IovecCount == 0) message.FirstIovec = index;
        else _iovecs[message.LastIovec].Next = index;
        message.LastIovec = index;
        message.IovecCount++;
        _iovecCount = index + 1;
    }

    /// <summary>Checks, in a debug build, that the kernel can cut the message into its datagrams again.</summary>
    [Conditional("DEBUG")]
    private void RequireSendable(in GsoMessage message)
    {
        Debug.Assert(
            message.TotalBytes == ((message.SegmentCount - 1) * message.SegmentBytes) + message.LastBytes
            && message.LastBytes <= message.SegmentBytes,
            "Only the last datagram may be shorter than the others.");
        Debug.Assert(
            message.SegmentCount == 1
            || (message.SegmentCount <= _limits.MaxSegmentCount
                && message.TotalBytes <= _limits.MaxTotalBytes
                && message.IovecCount <= _limits.MaxIovecCount
                && message.LastBytes > 0));
    }

    private bool Adjoins(in GsoMessage message, byte[] buffer, int offsetBytes)
    {
        ref readonly GsoIovec last = ref _iovecs[message.LastIovec];
        return last.Buffer == buffer && last.OffsetBytes + last.LengthBytes == offsetBytes;
    }
}
