using System.Net.Sockets;
using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Loss;

/// <summary>
/// What a test knows about the datagrams of one direction: what the two ends counted, and what their hosts counted
/// meanwhile. <see cref="LossAccount.Judge"/> puts the missing datagrams where they were lost. Immutable.
/// </summary>
internal sealed record LossEvidence
{
    // The headers of IPv4 (RFC 791, without options) or IPv6 (RFC 8200), and of UDP (RFC 768).
    private const int HeaderBytes4 = 20 + 8;
    private const int HeaderBytes6 = 40 + 8;

    /// <summary>Datagrams that were due: those with a number, refused ones too, and <see cref="Skipped"/>.</summary>
    public long Offered { get; init; }

    /// <summary>
    /// Of <see cref="Offered"/>, the datagrams of which no copy arrived: <see cref="Offered"/> less the unique ones
    /// that arrived. Skipped and refused ones are missing too. Below zero counts as zero.
    /// </summary>
    public required long Missing { get; init; }

    /// <summary>
    /// Datagrams that the pacing gave up because the sender could not keep the rate. They have no number.
    /// </summary>
    public long Skipped { get; init; }

    /// <summary>Datagrams that the sender's system refused with an error (<see cref="SendResult.Refused"/>).</summary>
    public long Refused { get; init; }

    /// <summary>Why the system refused the first of them; success where it refused none.</summary>
    public SocketError RefusedBecause { get; init; }

    /// <summary>
    /// Datagrams that arrived with a wrong checksum in their payload (<c>Corrupted</c>), so that
    /// their numbers do not count; 0 where checksums were not verified.
    /// </summary>
    public long Corrupted { get; init; }

    /// <summary>
    /// Datagrams that arrived too late to be told from copies (<c>Late</c>). Each is a copy, or
    /// it is one of <see cref="Missing"/> all the same.
    /// </summary>
    public long Late { get; init; }

    /// <summary>What the sender's namespace counted during the test; null where it could not be read.</summary>
    public NetworkCounters? SenderDelta { get; init; }

    /// <summary>
    /// What the receiver's namespace counted during the test, from before the first datagram until the drain period
    /// was over; null where it could not be read. Where both ends share a namespace, this one alone is used.
    /// </summary>
    public NetworkCounters? ReceiverDelta { get; init; }

    /// <summary>The interfaces that the datagrams left by; none if unknown: then all of the sender's are.</summary>
    public IReadOnlyList<string> SenderInterfaces { get; init; } = [];

    /// <summary>
    /// The interfaces that the datagrams came in by; none if unknown: then all of the receiver's are.
    /// </summary>
    public IReadOnlyList<string> ReceiverInterfaces { get; init; } = [];

    /// <summary>
    /// What the kernel dropped at this direction's receiving sockets (<see cref="UdpCounters.KernelDrops"/>), in the
    /// unit <see cref="SocketDropUnit"/>; null where it could not be read. Then the count of all sockets of the
    /// namespace serves instead.
    /// </summary>
    public long? SocketDrops { get; init; }

    /// <summary>What one of <see cref="SocketDrops"/> is.</summary>
    public UdpDropUnit SocketDropUnit { get; init; }

    /// <summary>
    /// Whether the sender sent GSO messages: then most counters on the way count these. Null where the
    /// receiver alone is known, which cannot tell it from the datagrams: then it may have sent GSO messages.
    /// </summary>
    public bool? SegmentedSend { get; init; }

    /// <summary>Whether the receiver's sockets take coalesced buffers (GRO).</summary>
    public bool CoalescedReceive { get; init; }

    /// <summary>Payload bytes of one datagram; 0 if unknown or different.</summary>
    public int SizeBytes { get; init; }

    /// <summary>
    /// Which family carried the datagrams; null if unknown or both: then the counters of both are added.
    /// </summary>
    public bool? IsIPv6 { get; init; }

    /// <summary>The MTU of the sender's interface, the smallest of several; null if unknown.</summary>
    public int? SenderMtuBytes { get; init; }

    /// <summary>The MTU of the receiver's interface, the smallest of several; null if unknown.</summary>
    public int? ReceiverMtuBytes { get; init; }

    /// <summary>
    /// The receive buffer asked for (<see cref="UdpSocketOptions.ReceiveBufferBytes"/>); null if unknown.
    /// </summary>
    public long? ReceiveBufferAskedBytes { get; init; }

    /// <summary>
    /// The receive buffer granted (<see cref="UdpSocket.ReceiveBufferBytes"/>); null if unknown.
    /// </summary>
    public long? ReceiveBufferGrantedBytes { get; init; }

    /// <summary>The receiving host's <c>net.core.netdev_max_backlog</c>; null if unknown.</summary>
    public long? BacklogLimit { get; init; }

    /// <summary>
    /// The receiving threads, each with what its socket dropped and whether it could run; none if unknown.
    /// </summary>
    public IReadOnlyList<ReaderSchedule> Readers { get; init; } = [];

    /// <summary>
    /// Time that the receiving process was neither running nor ready to run, for instance because it was stopped by a
    /// signal or frozen; null if unknown.
    /// </summary>
    public long? StoppedNanoseconds { get; init; }

    /// <summary>
    /// CPU seconds that a quota of its control group took from the receiving process (<c>cpu.max</c>); null if unknown.
    /// </summary>
    public double? ThrottledSeconds { get; init; }

    /// <summary>How long datagrams were sent, in seconds; 0 if unknown.</summary>
    public double Seconds { get; init; }

    /// <summary>
    /// Whether the receiver is the other end of the command that prints the verdict: its options are then named
    /// <c>--remote-buffer</c> instead of <c>--buffer</c>.
    /// </summary>
    public bool IsReceiverRemote { get; init; }

    /// <summary>Whether both ends read the same counters: they run in one network namespace.</summary>
    public bool SharesNamespace =>
        SenderDelta?.NamespaceId is { Length: > 0 } sender
        && string.Equals(sender, ReceiverDelta?.NamespaceId, StringComparison.Ordinal);

    /// <summary>Datagrams that the sender's system took.</summary>
    internal long Accepted => Math.Max(0, Math.Max(0, Offered) - KeptBack);

    /// <summary>Datagrams that never got past the sender's system calls.</summary>
    internal long KeptBack => Saturating.Add(Math.Max(0, Skipped), Math.Max(0, Refused));

    /// <summary>Seconds that the receiving process was stopped.</summary>
    internal double StoppedSeconds => Math.Max(0, StoppedNanoseconds ?? 0) / ReaderSchedule.NanosecondsPerSecond;

    /// <summary>Whether both ends run on one kernel, in one namespace or in two.</summary>
    internal bool SharesHost =>
        HostOf(SenderDelta) is { Length: > 0 } sender
        && string.Equals(sender, HostOf(ReceiverDelta), StringComparison.Ordinal);

    /// <summary>The interface that all datagrams left by; null for several, and if unknown.</summary>
    internal string? SenderInterface => SenderInterfaces is [var name] ? name : null;

    /// <summary>The interface that all datagrams came in by; null for several, and if unknown.</summary>
    internal string? ReceiverInterface => ReceiverInterfaces is [var name] ? name : null;

    /// <summary>Bytes of the IP and UDP headers; where both families may be, those of the longer ones.</summary>
    internal int HeaderBytes => IsIPv6 == false ? HeaderBytes4 : HeaderBytes6;

    /// <summary>Whether the datagrams did not fit the sender's MTU and so left as fragments.</summary>
    internal bool IsFragmented => SenderMtuBytes is { } mtu && SizeBytes > mtu - HeaderBytes;

    /// <summary>Whether the datagrams do not fit the receiver's MTU.</summary>
    internal bool ExceedsReceiverMtu => ReceiverMtuBytes is { } mtu && SizeBytes > mtu - HeaderBytes;

    // A NamespaceId is "namespace@start of the kernel".
    private static string? HostOf(NetworkCounters? counters) =>
        counters?.NamespaceId is { } id && id.LastIndexOf('@') is >= 0 and var at ? id[(at + 1)..] : null;
}

/// <summary>
/// Shares out what this direction's sockets dropped among the threads that read them, and judges each thread by its own
/// schedule: of 64 threads one that cannot run is not hidden by the others.
/// </summary>
internal sealed class ReaderLoss
{
    // A reader that waits for a CPU now and then is what the buffer is for; one that waits a fifth of the time has no
    // CPU to itself, and no buffer is large enough.
    private const double MinWaitingShare = 0.2;

    // More than any socket drops; it keeps a product with a count of datagrams within 128 bits.
    private const long MaxDrops = 1L << 40;

    private long _maxAwayLost;
    private long _maxPresentLost;

    /// <summary>Receiving threads; 1 where nothing is known of them.</summary>
    public int Count { get; private init; } = 1;

    public int AwayCount { get; private set; }

    public long AwayLost { get; private set; }

    /// <summary>Of the threads that were away, the one whose socket dropped most.</summary>
    public ReaderSchedule Away { get; private set; } = new();

    /// <summary>Of the other threads, the one whose socket dropped most.</summary>
    public ReaderSchedule Present { get; private set; } = new();

    public static ReaderLoss Of(LossEvidence evidence, long lost)
    {
        IReadOnlyList<ReaderSchedule> readers = evidence.Readers.Count > 0 ? evidence.Readers : [new()];
        var judged = new ReaderLoss { Count = readers.Count };

        // Where no socket tells its own drops, all threads are taken to have lost the same.
        bool areDropsKnown = readers.Any(static reader => reader.Drops > 0);
        Int128 drops = areDropsKnown ? Sum(readers) : readers.Count;
        (Int128 counted, long given) = (0, 0);
        foreach (ReaderSchedule reader in readers)
        {
            counted += areDropsKnown ? Bounded(reader.Drops) : 1;
            var until = (long)(lost * counted / drops);
            judged.Add(reader, until - given, evidence);
            given = until;
        }

        return judged;
    }

    private static Int128 Sum(IReadOnlyList<ReaderSchedule> readers)
    {
        Int128 sum = 0;
        foreach (ReaderSchedule reader in readers) sum += Bounded(reader.Drops);

        return sum;
    }

    private static long Bounded(long? drops) => Math.Clamp(drops ?? 0, 0, MaxDrops);

    private void Add(ReaderSchedule reader, long lost, LossEvidence evidence)
    {
        if (IsAway(reader, lost, evidence))
        {
            AwayCount++;
            AwayLost += lost;
            if (lost > _maxAwayLost) (_maxAwayLost, Away) = (lost, reader);
        }
        else if (lost > _maxPresentLost)
        {
            (_maxPresentLost, Present) = (lost, reader);
        }
    }

    // Arrivals while the thread could not run explain at least half of what its socket dropped.
    private static bool IsAway(ReaderSchedule reader, long lost, LossEvidence evidence)
    {
        if (lost == 0 || !(evidence.Seconds > 0)) return false;

        double waited = reader.WaitingSeconds;
        double waiting = waited / evidence.Seconds >= MinWaitingShare ? waited : 0;
        double away = Math.Min(evidence.Seconds, evidence.StoppedSeconds + waiting);
        long arrived = Saturating.Add(Math.Max(0, reader.Datagrams), lost);
        return away > 0 && 2 * away / evidence.Seconds * arrived >= lost;
    }
}
