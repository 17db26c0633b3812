namespace Spate.Buffers;

/// <summary>The metadata of one received slot; meaningful only as far as the socket's options asked for it.</summary>
internal struct DatagramInfo
{
    /// <summary>What a socket without metadata reports.</summary>
    public static readonly DatagramInfo None;

    public UdpEndPoint LocalAddress;

    /// <summary>Where an answer comes from: LocalAddress, unless that is one of many machines' at once.</summary>
    public UdpEndPoint ReplyAddress;

    public int InterfaceIndex;
    public long TimestampUnixNanoseconds;

    // Kept plus one, so that the default value says that nothing was told.
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
