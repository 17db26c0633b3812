namespace Spate.Buffers;

/// <summary>
/// The metadata of the datagrams in one slot. Only the members that the socket's options request are meaningful.
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

    public int InterfaceIndex;
    public long TimestampUnixNanoseconds;

    // Both values are stored plus one, so that 0, the value in a new struct, means "not reported".
    private int _trafficClassPlusOne;
    private int _timeToLivePlusOne;

    public int TrafficClass
    {
        readonly get => _trafficClassPlusOne - 1;
        set => _trafficClassPlusOne = value + 1;
    }

    public int TimeToLive
    {
        readonly get => _timeToLivePlusOne - 1;
        set => _timeToLivePlusOne = value + 1;
    }
}
