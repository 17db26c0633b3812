using Spate.Measurement.Reports;

namespace Spate.Measurement.Loss;

/// <summary>
/// Where a datagram can be lost, in the order of its way. Reports spell the names in camelCase, for example
/// <c>senderQueue</c>. docs/measuring.md says which counter speaks for which place.
/// </summary>
internal enum LossPlace
{
    /// <summary>What the pacing gave up or the system refused; the sender knows each of them.</summary>
    SenderApplication,

    /// <summary>Between socket and queue, without an error: as by a firewall rule for output.</summary>
    SenderSocket,

    SenderQueue,

    SenderInterface,

    /// <summary>Where neither end counts: what is left once every other place was excluded.</summary>
    Path,

    /// <summary>The receiver's interface: its card, its driver, or what the driver hands the packets to.</summary>
    ReceiverInterface,

    /// <summary>The queues in front of the receiving host's CPUs (<c>net.core.netdev_max_backlog</c>).</summary>
    Backlog,

    /// <summary>The receiving host's IP: headers, routes, fragments, the filter for reverse paths.</summary>
    Ip,

    Firewall,

    /// <summary>The receiving host's UDP: no socket at the port, a wrong checksum, no memory for UDP.</summary>
    Udp,

    /// <summary>This test's receiving sockets: the buffer was full, or a filter rejected the datagram.</summary>
    Socket,

    /// <summary>The socket's buffer was full because its thread was not running.</summary>
    Reader,

    /// <summary>No place: arrived with a wrong checksum. Only where checksums are verified.</summary>
    Corrupted,
}

/// <summary>All places with the names that reports give them.</summary>
internal static class LossPlaces
{
    private static readonly string[] Names = MapNamesAttribute.Of(typeof(LossPlace));

    /// <summary>The places in the order of a datagram's way; the index is the place's value.</summary>
    public static IReadOnlyList<LossPlace> All { get; } = Enum.GetValues<LossPlace>();

    public static string NameOf(LossPlace place) => Names[(int)place];
}
