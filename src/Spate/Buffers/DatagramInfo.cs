namespace Spate.Buffers;

/// <summary>
/// The metadata of the datagrams in one slot. A member that the socket's options do not request, or that the system did
/// not report, is null or the default address.
/// </summary>
internal struct DatagramInfo
{
    /// <summary>The metadata if the socket requests none: every member has its default value.</summary>
    public static readonly DatagramInfo None;

    public UdpAddress LocalAddress;

    /// <summary>
    /// The source address for a reply: <c>LocalAddress</c>, unless many machines share that address (broadcast,
    /// multicast). In that case it is an address of this machine, or the default value, with which the system chooses
    /// the address.
    /// </summary>
    public UdpAddress ReplyAddress;

    // Stored so that 0, the value in a new struct, means "not reported": the first two plus one.
    private int _trafficClassPlusOne;
    private int _timeToLivePlusOne;
    private int _interfaceIndex;
    private long _timestampUnixNanoseconds;

    public int? TrafficClass
    {
        readonly get => _trafficClassPlusOne == 0 ? null : _trafficClassPlusOne - 1;
        set => _trafficClassPlusOne = value + 1 ?? 0;
    }

    public readonly EcnCodepoint? Ecn =>
        _trafficClassPlusOne == 0 ? null : (EcnCodepoint)((_trafficClassPlusOne - 1) & 3);

    public readonly int? Dscp => _trafficClassPlusOne == 0 ? null : (_trafficClassPlusOne - 1) >> 2;

    public int? TimeToLive
    {
        readonly get => _timeToLivePlusOne == 0 ? null : _timeToLivePlusOne - 1;
        set => _timeToLivePlusOne = value + 1 ?? 0;
    }

    public int? InterfaceIndex
    {
        readonly get => _interfaceIndex == 0 ? null : _interfaceIndex;
        set => _interfaceIndex = value ?? 0;
    }

    public long? TimestampUnixNanoseconds
    {
        readonly get => _timestampUnixNanoseconds == 0 ? null : _timestampUnixNanoseconds;
        set => _timestampUnixNanoseconds = value ?? 0;
    }
}
