namespace Spate.Buffers;

/// <summary>The metadata of one received slot; meaningful only as far as the socket's options asked for it.</summary>
internal struct DatagramInfo
{
    /// <summary>What a socket without metadata reports.</summary>
    public static readonly DatagramInfo None = new() { TrafficClass = -1, TimeToLive = -1 };

    public UdpEndPoint LocalAddress;

    /// <summary>Where an answer comes from: LocalAddress, unless that is one of many machines' at once.</summary>
    public UdpEndPoint ReplyAddress;

    public int InterfaceIndex;
    public int TrafficClass;
    public int TimeToLive;
    public long TimestampUnixNanoseconds;
}
