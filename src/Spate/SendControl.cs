namespace Spate;

/// <summary>
/// How one datagram leaves: from which of this machine's addresses, by which interface, with which traffic class and
/// time to live, and at what time. Linux with the backends Mmsg and Uring; elsewhere anything but the default is
/// refused with <see cref="PlatformNotSupportedException"/>.
/// </summary>
public readonly record struct SendControl
{
    private readonly long _transmitTime;
    private readonly int _interfaceIndex;
    private readonly short _trafficClassPlusOne;
    private readonly byte _timeToLive;

    /// <summary>
    /// The source address, of the peer's family (its port is ignored); default: the system chooses. IP_PKTINFO or
    /// IPV6_PKTINFO.
    /// </summary>
    public UdpEndPoint LocalAddress { get; init; }

    /// <summary>The index of the interface to leave by, from 1; null, the default: the route decides.</summary>
    public int? InterfaceIndex
    {
        get => _interfaceIndex == 0 ? null : _interfaceIndex;
        init
        {
            if (value < 1)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "An interface index is 1 or more; null lets the route decide.");
            }
            _interfaceIndex = value ?? 0;
        }
    }

    /// <summary>DSCP and ECN, 0 to 255; null, the default: the socket's. IP_TOS or IPV6_TCLASS.</summary>
    public int? TrafficClass
    {
        get => _trafficClassPlusOne == 0 ? null : _trafficClassPlusOne - 1;
        init
        {
            if (value is < 0 or > 255)
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, "A traffic class is a byte: 0 to 255.");
            }
            _trafficClassPlusOne = (short)(value is { } trafficClass ? trafficClass + 1 : 0);
        }
    }

    /// <summary>
    /// Time to live or hop limit, 1 to 255; null, the default: the socket's, see
    /// <see cref="UdpSocketOptions.TimeToLive"/>. IP_TTL or IPV6_HOPLIMIT. An echo server that answers with the
    /// received time to live less one cannot be caught in an endless exchange with another such server.
    /// </summary>
    public int? TimeToLive
    {
        get => _timeToLive == 0 ? null : _timeToLive;
        init
        {
            if (value is < 1 or > 255)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "A time to live is 1 to 255; null uses the socket's.");
            }
            _timeToLive = (byte)(value ?? 0);
        }
    }

    /// <summary>
    /// When the datagram is to leave this machine: nanoseconds of CLOCK_MONOTONIC, as
    /// <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> on Linux, from 1; null, the default: at once. Datagrams
    /// of one time may travel as one GSO message. The socket needs <see cref="UdpSocketOptions.TransmitTimes"/>. Only
    /// some queueing disciplines of the interface keep the time (fq, tc-fq(8)); the others send at once. SCM_TXTIME.
    /// </summary>
    public long? TransmitTime
    {
        get => _transmitTime == 0 ? null : _transmitTime;
        init
        {
            if (value < 1)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "A time to leave is 1 ns or more; null lets the datagram leave at once.");
            }
            _transmitTime = value ?? 0;
        }
    }

    /// <summary>
    /// Whether the source address suits a datagram to this peer. Endpoints are in normal form, so an IPv4 peer of an
    /// IPv6 socket has an IPv4 address.
    /// </summary>
    internal bool Suits(in UdpEndPoint peer) => LocalAddress.IsDefault || LocalAddress.IsIPv4 == peer.IsIPv4;

    /// <summary>Equality of all members, without a copy of the struct.</summary>
    internal bool Equals(in SendControl other) =>
        LocalAddress == other.LocalAddress && _transmitTime == other._transmitTime
        && _interfaceIndex == other._interfaceIndex && _trafficClassPlusOne == other._trafficClassPlusOne
        && _timeToLive == other._timeToLive;

    internal bool IsDefault =>
        _transmitTime == 0 && _trafficClassPlusOne == 0 && _timeToLive == 0 && _interfaceIndex == 0
        && LocalAddress.IsDefault;
}
