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

    /// <summary>Due, without a copy that arrived; skipped and refused ones too. Below 0 counts as 0.</summary>
    public required long Missing { get; init; }

    /// <summary>Given up by the pacing; they have no number.</summary>
    public long Skipped { get; init; }

    public long Refused { get; init; }

    /// <summary>Why the system refused the first of them; success where it refused none.</summary>
    public SocketError RefusedBecause { get; init; }

    /// <summary>Arrived with a wrong checksum, so their numbers do not count; 0 where none was verified.</summary>
    public long Corrupted { get; init; }

    /// <summary>Too late to be told from copies; each is a copy, or among <see cref="Missing"/> all the same.</summary>
    public long Late { get; init; }

    /// <summary>What the sender's namespace counted during the test; null where it could not be read.</summary>
    public NetworkCounters? SenderDelta { get; init; }

    /// <summary>Until the drain is over; null if unread. Of a shared namespace, only this is used.</summary>
    public NetworkCounters? ReceiverDelta { get; init; }

    /// <summary>The interfaces that the datagrams left by; none if unknown: then all of the sender's are.</summary>
    public IReadOnlyList<string> SenderInterfaces { get; init; } = [];

    /// <summary>None if unknown: then all of the receiver's are.</summary>
    public IReadOnlyList<string> ReceiverInterfaces { get; init; } = [];

    /// <summary>In <see cref="SocketDropUnit"/>; null if unread: then the namespace's count serves.</summary>
    public long? SocketDrops { get; init; }

    public UdpDropUnit SocketDropUnit { get; init; }

    /// <summary>Whether GSO messages were sent, which most counters then count; null if not known.</summary>
    public bool? SegmentedSend { get; init; }

    public bool CoalescedReceive { get; init; }

    /// <summary>Payload bytes of one datagram; 0 if unknown or different.</summary>
    public int SizeBytes { get; init; }

    /// <summary>Null if unknown or both: then the counters of both are added.</summary>
    public bool? IsIPv6 { get; init; }

    public int? SenderMtuBytes { get; init; }

    public int? ReceiverMtuBytes { get; init; }

    public long? ReceiveBufferAskedBytes { get; init; }

    public long? ReceiveBufferGrantedBytes { get; init; }

    public long? BacklogLimit { get; init; }

    public IReadOnlyList<ReaderSchedule> Readers { get; init; } = [];

    /// <summary>Neither running nor ready to run, as when stopped by a signal or frozen; null if unknown.</summary>
    public long? StoppedNanoseconds { get; init; }

    /// <summary>Taken from the receiver by a quota (<c>cpu.max</c>); null if unknown.</summary>
    public double? ThrottledSeconds { get; init; }

    /// <summary>How long datagrams were sent, in seconds; 0 if unknown.</summary>
    public double Seconds { get; init; }

    /// <summary>Whether it is the other end of the command, with options as <c>--remote-buffer</c>.</summary>
    public bool IsReceiverRemote { get; init; }

    /// <summary>Whether both ends read the same counters: they run in one network namespace.</summary>
    public bool SharesNamespace =>
        SenderDelta?.NamespaceId is { Length: > 0 } sender
        && string.Equals(sender, ReceiverDelta?.NamespaceId, StringComparison.Ordinal);

    public override string ToString() => RecordText.Of(
        nameof(LossEvidence),
        PrintMembers,
        (nameof(SenderInterfaces), SenderInterfaces),
        (nameof(ReceiverInterfaces), ReceiverInterfaces),
        (nameof(Readers), Readers));

    internal long Accepted => Math.Max(0, Math.Max(0, Offered) - KeptBack);

    internal long KeptBack => Saturating.Add(Math.Max(0, Skipped), Math.Max(0, Refused));

    internal double StoppedSeconds => Math.Max(0, StoppedNanoseconds ?? 0) / ReaderSchedule.NanosecondsPerSecond;

    internal bool SharesHost =>
        HostOf(SenderDelta) is { Length: > 0 } sender
        && string.Equals(sender, HostOf(ReceiverDelta), StringComparison.Ordinal);

    internal string? SenderInterface => SenderInterfaces is [var name] ? name : null;

    internal string? ReceiverInterface => ReceiverInterfaces is [var name] ? name : null;

    /// <summary>Bytes of the IP and UDP headers; where both families may be, those of the longer ones.</summary>
    internal int HeaderBytes => IsIPv6 == false ? HeaderBytes4 : HeaderBytes6;

    internal bool IsFragmented => SenderMtuBytes is { } mtu && SizeBytes > mtu - HeaderBytes;

    internal bool ExceedsReceiverMtu => ReceiverMtuBytes is { } mtu && SizeBytes > mtu - HeaderBytes;

    // A NamespaceId is "namespace@start of the kernel".
    private static string? HostOf(NetworkCounters? counters) =>
        counters?.NamespaceId is { } id && id.LastIndexOf('@') is >= 0 and var at ? id[(at + 1)..] : null;
}
