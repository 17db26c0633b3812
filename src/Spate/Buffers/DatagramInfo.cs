namespace Spate.Buffers;

/// <summary>The metadata of one received slot; meaningful only as far as the socket's options asked for it.</summary>
internal struct DatagramInfo
{
    /// <summary>What a socket without metadata reports.</summary>
    public static readonly DatagramInfo None = new() { TrafficClass = -1, TimeToLive = -1 };

    public UdpEndPoint LocalAddress;
    public int InterfaceIndex;
    public int TrafficClass;
    public int TimeToLive;
    public long TimestampUnixNanoseconds;
}
