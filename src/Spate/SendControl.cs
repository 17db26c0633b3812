namespace Spate;

/// <summary>
/// The send options of one datagram: source address, interface, traffic class, time to live and transmit time.
/// Available on Linux with the backends Mmsg and Uring. The Windows backends Winsock and Rio have the source address,
/// the interface and the traffic class. A send throws <see cref="PlatformNotSupportedException"/> if a datagram of the
/// batch has an option that its backend lacks.
/// </summary>
public readonly record struct SendControl
{
    private readonly UdpAddress _localAddress;
    private readonly long _transmitTime;
    private readonly int _interfaceIndex;
    private readonly short _trafficClassPlusOne;
    private readonly byte _timeToLive;

    /// <summary>
    /// The source address, which must be of the peer's family. By default the system chooses the address. Sent as
    /// IP_PKTINFO or IPV6_PKTINFO.
    /// </summary>
    public UdpAddress LocalAddress
    {
        get => _localAddress;
        init => _localAddress = value;
    }

    /// <summary>
    /// The index of the interface that sends the datagram, 1 or more. Default null: the route decides.
    /// </summary>
    public int? InterfaceIndex
    {
        get => _interfaceIndex == 0 ? null : _interfaceIndex;
        init
        {
            if (value < 1)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value),
                    value,
                    $"An interface index must be from 1 to {int.MaxValue}; null lets the route decide.");
            }
            _interfaceIndex = value ?? 0;
        }
    }

    /// <summary>
    /// The traffic class byte (DSCP and ECN), 0 to 255. Default null: the value of the socket, see
    /// <see cref="UdpSocketOptions.TrafficClass"/>. Sent as IP_TOS or IPV6_TCLASS. Versions of Windows that lack these
    /// take 0 to 3 only, the two bits for ECN, as IP_ECN or IPV6_ECN.
    /// </summary>
    public int? TrafficClass
    {
        get => _trafficClassPlusOne == 0 ? null : _trafficClassPlusOne - 1;
        init
        {
            if (value is < 0 or > 255)
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, "A traffic class must be from 0 to 255.");
            }
            _trafficClassPlusOne = (short)(value is { } trafficClass ? trafficClass + 1 : 0);
        }
    }

    /// <summary>
    /// The time to live or hop limit, 1 to 255. Default null: the value of the socket, see
    /// <see cref="UdpSocketOptions.TimeToLive"/>. Sent as IP_TTL or IPV6_HOPLIMIT. Not on Windows: a send throws
    /// <see cref="PlatformNotSupportedException"/>. An echo server should answer with the received time to live minus
    /// 1, because otherwise two echo servers could answer each other forever.
    /// </summary>
    public int? TimeToLive
    {
        get => _timeToLive == 0 ? null : _timeToLive;
        init
        {
            if (value is < 1 or > 255)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, "A TTL must be from 1 to 255; null uses the socket's.");
            }
            _timeToLive = (byte)(value ?? 0);
        }
    }

    /// <summary>
    /// The time at which to send the datagram, in nanoseconds of CLOCK_MONOTONIC, 1 or more. On Linux,
    /// <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> reads this clock. Default null: send at once. Datagrams
    /// with the same time may be sent as one GSO message. The socket needs
    /// <see cref="UdpSocketOptions.EnableTransmitTimes"/>. Only some queueing disciplines of the interface delay the
    /// datagram until this time (fq, see tc-fq(8)); the others send it at once. Sent as SCM_TXTIME.
    /// </summary>
    public long? TransmitTimeMonotonicNanoseconds
    {
        get => _transmitTime == 0 ? null : _transmitTime;
        init
        {
            if (value < 1)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(value), value, $"A transmit time must be from 1 to {long.MaxValue} ns; null sends at once.");
            }
            _transmitTime = value ?? 0;
        }
    }

    /// <summary>
    /// Whether a datagram to this peer can have this source address: true if the address is default or of the peer's
    /// family. Endpoints are in normal form, so an IPv4 peer of an IPv6 socket has an IPv4 address.
    /// </summary>
    internal bool Suits(in UdpEndPoint peer) => _localAddress.IsDefault || _localAddress.IsIPv4 == peer.IsIPv4;

    /// <summary>Compares all members without copying the struct.</summary>
    internal bool Equals(in SendControl other) =>
        _localAddress.Equals(in other._localAddress) && _transmitTime == other._transmitTime
        && _interfaceIndex == other._interfaceIndex && _trafficClassPlusOne == other._trafficClassPlusOne
        && _timeToLive == other._timeToLive;

    internal bool IsDefault =>
        _transmitTime == 0 && _trafficClassPlusOne == 0 && _timeToLive == 0 && _interfaceIndex == 0
        && _localAddress.IsDefault;
}
