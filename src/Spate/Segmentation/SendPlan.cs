namespace Spate.Segmentation;

/// <summary>
/// The GSO messages of a send batch in the order in which they leave, planned while datagrams are added, and how far
/// they have left. Datagrams of one peer keep their order; peers that alternate are gathered, so the order between
/// peers may change. Storage is used again; it grows with use up to the capacity.
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

    /// <summary>The datagrams added last. They are in no GSO message before <see cref="Settle"/>.</summary>
    public SendRun Open;

    /// <param name="limits">The limits of one GSO message.</param>
    /// <param name="capacity">The most datagrams that are ever added between two calls of Clear.</param>
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

    /// <summary>Datagrams added since the last <see cref="Clear"/>.</summary>
    public int AddedCount => _settledCount + Open.SegmentCount;

    /// <summary>Datagrams that are neither sent nor refused.</summary>
    public int Count => AddedCount - _doneCount;

    /// <summary>All GSO messages but the open run, those that have left included.</summary>
    public ReadOnlySpan<GsoMessage> Messages => _messages.AsSpan(0, _messageCount);

    /// <summary>The GSO messages that no send has begun on.</summary>
    public ReadOnlySpan<GsoMessage> FreshMessages => _messages.AsSpan(_begunCount, _messageCount - _begunCount);

    public ReadOnlySpan<GsoIovec> Iovecs => _iovecs.AsSpan(0, _iovecCount);

    /// <summary>The first GSO message that is not wholly sent.</summary>
    public int NextMessage { get; private set; }

    /// <summary>
    /// The first segment of <see cref="NextMessage"/> that is not sent; above 0 only while the GSO message leaves as
    /// single datagrams (GSO fallback).
    /// </summary>
    public int NextSegment { get; private set; }

    /// <summary>
    /// Whether GSO messages are left. A send goes by this and not by <see cref="Count"/>, which a reservation on
    /// another thread may change although it is not allowed then.
    /// </summary>
    public bool HasUnsent => NextMessage < _messageCount;

    /// <summary>Adds a datagram after the others of its peer.</summary>
    public void Add(in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (Open.TryExtend(peer, controlIndex, buffer, offsetBytes, lengthBytes)) return;
        Settle();
        Open.Start(peer, controlIndex, buffer, offsetBytes, lengthBytes);
    }

    /// <summary>
    /// On a connected socket, before <see cref="Begin"/>: the fresh datagrams without a peer are for its remote, also
    /// if another socket has to send them in the end.
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
    /// Begins a send or continues one. Datagrams added from now on join no existing GSO message, so each peer's
    /// datagrams stay in order even if only a part leaves.
    /// </summary>
    public void Begin()
    {
        Settle();
        _begunCount = _messageCount;
        _newestMessage = None;
        _generation++;
    }

    /// <summary>
    /// The next <paramref name="segmentCount"/> datagrams of the next GSO message have left or were refused.
    /// </summary>
    public void Advance(int segmentCount)
    {
        _doneCount += segmentCount;
        NextSegment += segmentCount;
        if (NextSegment < _messages[NextMessage].SegmentCount) return;
        NextMessage++;
        NextSegment = 0;
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

    /// <summary>The payload of one datagram of a GSO message. Segments never straddle iovecs.</summary>
    public ReadOnlySpan<byte> SegmentOf(in GsoMessage message, int segmentIndex)
    {
        int offsetBytes = segmentIndex * message.SegmentBytes;
        int lengthBytes = segmentIndex == message.SegmentCount - 1 ? message.LastBytes : message.SegmentBytes;
        int iovecIndex = message.FirstIovec;
        while (true)
        {
            ref readonly GsoIovec iovec = ref _iovecs[iovecIndex];
            if (offsetBytes < iovec.LengthBytes || iovec.Next < 0)
            {
                return iovec.Buffer.AsSpan(iovec.OffsetBytes + offsetBytes, lengthBytes);
            }
            offsetBytes -= iovec.LengthBytes;
            iovecIndex = iovec.Next;
        }
    }

    /// <summary>Puts the open run into the newest GSO message of its peer and into new ones.</summary>
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

                // Empty and oversized datagrams fit nowhere and travel alone.
                takenCount = Math.Max(1, RoomIn(_messages[messageIndex], run, offsetBytes, leftCount));
            }

            int lastBytes = takenCount == leftCount ? run.LastBytes : run.SegmentBytes;
            int takenBytes = ((takenCount - 1) * run.SegmentBytes) + lastBytes;
            ref GsoMessage message = ref _messages[messageIndex];
            AddBytes(ref message, run.Buffer, offsetBytes, takenBytes);
            message.SegmentCount += takenCount;
            message.TotalBytes += takenBytes;
            message.LastBytes = lastBytes;
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

    /// <summary>The newest GSO message of the run's peer, if the run may join it.</summary>
    private int NewestMessageOf(in SendRun run)
    {
        if (_limits.MaxSegmentCount <= 1 || _newestMessage == None) return None;
        int messageIndex = _newestMessage;
        ref readonly UdpEndPoint lastPeer = ref _messages[messageIndex].Peer;
        if (!lastPeer.Equals(in run.Peer))
        {
            if (lastPeer.IsDefault != run.Peer.IsDefault)
            {
                // The default peer may turn out to be any of the named ones, whose order must hold then.
                _generation++;
                return None;
            }

            messageIndex = _openMessages.PassTo(run.Peer, messageIndex, Messages, _generation);
        }

        // Another control closes the GSO message for good: the run starts a newer one.
        return messageIndex >= 0 && _messages[messageIndex].ControlIndex == run.ControlIndex ? messageIndex : None;
    }

    /// <summary>How many of the run's remaining datagrams, from the next one on, fit into a GSO message.</summary>
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

        // A shorter datagram is the GSO message's last.
        if (leftCount == 1 || nextBytes < message.SegmentBytes) return 1;
        long leftBytes = ((long)(leftCount - 1) * nextBytes) + run.LastBytes;
        bool lastFits = (uint)(run.LastBytes - 1) < (uint)nextBytes;
        if (leftCount <= roomCount && leftBytes <= roomBytes && lastFits) return leftCount;
        return Math.Min(Math.Min(roomCount, roomBytes / nextBytes), leftCount - 1);
    }

    /// <summary>Adds a GSO message without iovecs whose segments are as large as its first datagram.</summary>
    private int AddMessage(in SendRun run, int segmentBytes)
    {
        // A GSO message and an iovec hold at least one datagram each, so neither list outgrows the capacity.
        int index = _messageCount;
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
    /// Appends bytes to a GSO message: to its last iovec if they directly follow it, otherwise as a new iovec.
    /// </summary>
    private void AddBytes(ref GsoMessage message, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (message.IovecCount > 0 && Adjoins(in message, buffer, offsetBytes))
        {
            _iovecs[message.LastIovec].LengthBytes += lengthBytes;
            return;
        }

        int index = _iovecCount;
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

    private bool Adjoins(in GsoMessage message, byte[] buffer, int offsetBytes)
    {
        ref readonly GsoIovec last = ref _iovecs[message.LastIovec];
        return last.Buffer == buffer && last.OffsetBytes + last.LengthBytes == offsetBytes;
    }
}
