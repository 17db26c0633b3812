namespace Spate.Buffers;

/// <summary>The metadata of one received slot; meaningful only as far as the socket's options asked for it.</summary>
internal struct DatagramInfo
{
    /// <summary>The metadata of a socket that asked for none.</summary>
    public static readonly DatagramInfo None;

    public UdpEndPoint LocalAddress;

    /// <summary>
    /// The source address of a reply: LocalAddress, unless many machines share that address (broadcast, multicast).
    /// </summary>
    public UdpEndPoint ReplyAddress;

    public int InterfaceIndex;
    public long TimestampUnixNanoseconds;

    // Stored plus one, so that the default value means: not reported.
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
