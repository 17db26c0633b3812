using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Loss;

/// <summary>
/// Puts every missing datagram in one place. The order: what the two programs themselves know, what this direction's
/// sockets counted, then the counters of the whole host along the way, of these the ones last that other traffic of the
/// network moves, and then the path. A place gets at most what the places before it have left open, so that a datagram
/// that two counters saw counts once.
/// </summary>
internal sealed class LossAttribution
{
    // UDP_MAX_SEGMENTS (linux/udp.h, Linux 6.9) for one send; coalescing stops at 64 (UDP_GRO_CNT_MAX).
    private const int MaxGsoSegments = 128;
    private const int MaxGsoBytes = 65_507;

    // Frames and multicast that a host drops because nobody there wants them come at up to some tens a second in an
    // office network. Counters are read a little before the first datagram and after the drain period, too.
    private const double MaxUnwantedPerSecond = 50;
    private const double SecondsAround = 1;

    private readonly LossEvidence _evidence;
    private readonly DropCounts _limits;
    private readonly long[] _lost = new long[LossPlaces.All.Count];
    private readonly long _packetDatagrams;
    private readonly double _maxUnwanted;
    private long _inGsoPackets;
    private long _unwanted;

    private LossAttribution(LossEvidence evidence, DropCounts limits)
    {
        _evidence = evidence;
        _limits = limits;
        Unexplained = Math.Max(0, evidence.Missing);
        MayBeGso = evidence.SegmentedSend != false || evidence.CoalescedReceive;
        _maxUnwanted = MaxUnwantedPerSecond * (SecondsAround + Math.Max(0, evidence.Seconds));
        _packetDatagrams = MayBeGso
            ? Math.Clamp(MaxGsoBytes / Math.Max(1, evidence.SizeBytes), 1, MaxGsoSegments)
            : 1;
    }

    public long Unexplained { get; private set; }

    public bool MayBeGso { get; }

    /// <summary>Whether some of <see cref="Unexplained"/> may be drops that were counted in packets.</summary>
    public bool IsInPackets => _inGsoPackets > 0;

    /// <summary>Whether some of <see cref="Unexplained"/> may be in counters that other traffic moved.</summary>
    public bool IsInDoubt => _unwanted > 0;

    /// <summary>Whether all of <see cref="Unexplained"/> may be datagrams that arrived too late.</summary>
    public bool IsLate => Unexplained <= _evidence.Late;

    /// <summary>Whether a counter that could explain some could not be read.</summary>
    public bool LacksCounters { get; private set; }

    public ReaderLoss Readers { get; private set; } = new();

    public static LossAttribution Of(LossEvidence evidence, DropCounts limits)
    {
        var allocation = new LossAttribution(evidence, limits);
        allocation.Take(LossPlace.SenderApplication, evidence.KeptBack);
        allocation.Take(LossPlace.Corrupted, evidence.Corrupted);
        allocation.TakeSocket();
        allocation.TakeWay();
        allocation.TakePath();
        return allocation;
    }

    public long this[LossPlace place] => _lost[(int)place];

    private void Take(LossPlace place, long count)
    {
        long taken = Math.Min(Unexplained, Math.Max(0, count));
        _lost[(int)place] += taken;
        Unexplained -= taken;
    }

    private void TakeSocket()
    {
        // The number may come from the report of another program, which can be negative.
        long? known = _evidence.SocketDrops is >= 0 ? _evidence.SocketDrops : _limits.FullBuffers;
        if (known is not { } drops)
        {
            LacksCounters = true;
            return;
        }

        if (drops == 0) return;

        if (_evidence.SocketDropUnit == UdpDropUnit.CoalescedBuffers)
        {
            TakeFromSocket(DatagramsIn(drops));
            return;
        }

        // sk_drops counts a lack of UDP's memory and wrong checksums too; a full buffer has a counter of its own.
        long notFull = Math.Max(0, drops - (_limits.FullBuffers ?? drops));
        long behind = Math.Min(notFull, _limits.BehindSocket);
        Take(LossPlace.Udp, behind);
        TakeFromSocket(drops - behind);
    }

    // One dropped buffer held 1 to 128 datagrams. How many came in is known: IP counts the datagrams of GSO messages,
    // so what did not reach IP was not lost here. Whatever else dropped packets between IP and the socket may have
    // dropped GSO messages of ours, so that only the rest is certain: at the least one datagram a buffer.
    private long DatagramsIn(long buffers)
    {
        if (_limits is not { Firewall: { } firewall, Ip: { } ip, Udp: { } udp, Segments: { } segments }) return buffers;

        long besides = Saturating.Multiply(Saturating.Add(Saturating.Add(firewall, ip), udp), _packetDatagrams);
        long elsewhere = Saturating.Add(Math.Max(0, _evidence.Accepted - segments), besides);
        return Math.Min(Saturating.Multiply(buffers, _packetDatagrams), Math.Max(buffers, Unexplained - elsewhere));
    }

    private void TakeFromSocket(long count)
    {
        long lost = Math.Min(count, Unexplained);
        Readers = ReaderLoss.Of(_evidence, lost);
        Take(LossPlace.Reader, Readers.AwayLost);
        Take(LossPlace.Socket, lost - Readers.AwayLost);
    }

    private void TakeWay()
    {
        bool isSentPlain = _evidence.SegmentedSend == false && !_evidence.IsFragmented;
        bool arrivesPlain = isSentPlain && !_evidence.CoalescedReceive;
        TakeCounted(LossPlace.SenderQueue, _limits.SenderQueue, isSentPlain);
        TakeCounted(LossPlace.SenderSocket, _limits.SenderSocket, isSentPlain);
        TakeCounted(LossPlace.SenderInterface, _limits.SenderInterface, isSentPlain);
        TakeCounted(LossPlace.ReceiverInterface, _limits.ReceiverCard, arrivesPlain);
        TakeCounted(LossPlace.Backlog, _limits.Backlog, arrivesPlain);
        TakeCounted(LossPlace.Ip, _limits.Ip, arrivesPlain);
        TakeCounted(LossPlace.Udp, _limits.Udp, arrivesPlain);

        // A receiver's MTU that is too small needs no further proof.
        double unwanted = _evidence.ExceedsReceiverMtu ? 0 : _maxUnwanted;
        TakeShared(LossPlace.ReceiverInterface, _limits.ReceiverDropped, arrivesPlain, unwanted);
        TakeShared(LossPlace.Firewall, _limits.Firewall, arrivesPlain, _maxUnwanted);

        // Frames that are no IP make this differ by a few on any network, so that only a good part of the loss counts.
        bool isExplanation = arrivesPlain && _limits.Ingress >= Unexplained - _limits.Ingress;
        if (isExplanation) TakeShared(LossPlace.Firewall, _limits.Ingress, arrivesPlain, _maxUnwanted);
    }

    // Other traffic moves these counters without any loss of this test's. What they counted is put in their place only
    // if it is more than usual traffic makes, and between half and twice what is open.
    private void TakeShared(LossPlace place, long? packets, bool isInDatagrams, double maxUnwanted)
    {
        bool isOurs = packets > maxUnwanted && packets >= Unexplained - packets && packets - Unexplained <= Unexplained;
        if (packets is { } count && isInDatagrams && !isOurs)
        {
            _unwanted = Saturating.Add(_unwanted, count);
        }
        else
        {
            TakeCounted(place, packets, isInDatagrams);
        }
    }

    private void TakeCounted(LossPlace place, long? packets, bool isInDatagrams)
    {
        if (packets is not { } count)
        {
            LacksCounters = true;
        }
        else if (isInDatagrams)
        {
            Take(place, count);
        }
        else
        {
            _inGsoPackets = Saturating.Add(_inGsoPackets, Saturating.Multiply(count, _packetDatagrams));
        }
    }

    // What is left is the path's only where every counter of both ends is known and says that it was not there. A late
    // datagram may be one of the missing ones, and has arrived.
    private void TakePath()
    {
        if (LacksCounters || _evidence.SharesNamespace) return;

        long elsewhere = Saturating.Add(Saturating.Add(_inGsoPackets, _unwanted), Math.Max(0, _evidence.Late));
        Take(LossPlace.Path, Unexplained - elsewhere);
    }
}
