using System.Runtime.CompilerServices;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>What a client asks for in a UDP test. The ranges are those that iperf3 keeps (iperf_api.c).</summary>
internal sealed record Iperf3Parameters
{
    /// <summary>The rate that iperf3 gives a UDP stream where none is named: 1 Mibit/s (UDP_RATE).</summary>
    public const long DefaultBitsPerSecond = 1_048_576;

    /// <summary>The length of a datagram where neither a length nor the path's MSS is known.</summary>
    public const int DefaultLengthBytes = 1460;

    /// <summary>The shortest datagram: the header with a counter of 64 bits (MIN_UDP_BLOCKSIZE).</summary>
    public const int MinLengthBytes = 16;

    /// <summary>The largest payload of UDP over IPv4.</summary>
    public const int MaxLengthBytes = 65_507;

    /// <summary>The most streams of a direction (MAX_STREAMS).</summary>
    public const int MaxStreamCount = 128;

    /// <summary>The longest test (MAX_TIME).</summary>
    public const int MaxSeconds = 86_400;

    /// <summary>The longest time that is left out at the beginning (MAX_OMIT_TIME).</summary>
    public const int MaxOmitSeconds = 600;

    /// <summary>The largest burst (MAX_BURST).</summary>
    public const int MaxBurstDatagrams = 1000;

    /// <summary>The largest socket buffer (MAX_TCP_BUFFER).</summary>
    public const int MaxWindowBytes = 512 * 1024 * 1024;

    public const int MaxCpu = 1024;

    public bool Reverse { get; init; }

    public bool Bidirectional { get; init; }

    /// <summary>Streams in each direction, 1 to <see cref="MaxStreamCount"/>.</summary>
    public int StreamCount { get; init; } = 1;

    /// <summary>Payload bytes of every datagram; 0 for the MSS of the control connection.</summary>
    public int LengthBytes { get; init; }

    /// <summary>Payload bits a second of each stream; 0 for no limit.</summary>
    public long BitsPerSecond { get; init; } = DefaultBitsPerSecond;

    /// <summary>Datagrams that leave at once; 0 for what the pacing finds best.</summary>
    public int BurstDatagrams { get; init; }

    /// <summary>The time of the test without <see cref="OmitSeconds"/>; 0 for no end by time.</summary>
    public int Seconds { get; init; } = 10;

    public int OmitSeconds { get; init; }

    /// <summary>Payload bytes of all streams after which the test ends; 0 for no such end.</summary>
    public long Bytes { get; init; }

    /// <summary>Datagrams of all streams after which the test ends; 0 for no such end.</summary>
    public long Blocks { get; init; }

    /// <summary>The socket buffers at both ends; 0 for those of the ends.</summary>
    public int WindowBytes { get; init; }

    public bool Counters64Bit { get; init; }

    /// <summary>The server sends what it has printed with its results.</summary>
    public bool GetServerOutput { get; init; }

    /// <summary>0 to 255.</summary>
    public int TrafficClass { get; init; }

    public bool DontFragment { get; init; }

    /// <summary>Payloads hold digits instead of random bytes.</summary>
    public bool RepeatingPayload { get; init; }

    public int? ServerCpu { get; init; }

    /// <summary>Asks for GSO and coalesced buffers (--gsro, since 3.21), which this program uses anyway.</summary>
    public bool Gsro { get; init; }

    /// <summary>The rate that the socket's own pacing keeps; 0 for none.</summary>
    public long FqBitsPerSecond { get; init; }

    public string Title { get; init; } = "";

    public string ExtraData { get; init; } = "";

    public string ClientVersion { get; init; } = "";

    public int AllStreamCount => Bidirectional ? 2 * StreamCount : StreamCount;

    public bool EndsByAmount => Bytes > 0 || Blocks > 0;

    /// <summary>The whole time, with <see cref="OmitSeconds"/>; null for no end by time.</summary>
    public TimeSpan? Duration => Seconds > 0 ? TimeSpan.FromSeconds(OmitSeconds + Seconds) : null;

    internal TransportOptions TransportOf(TransportOptions own) => own with
    {
        BufferBytes = WindowBytes > 0 ? WindowBytes : own.BufferBytes,
        TrafficClass = TrafficClass > 0 ? TrafficClass : own.TrafficClass,
        DontFragment = DontFragment || own.DontFragment,
    };

    internal void Validate()
    {
        ThrowUnlessWithin(StreamCount, 1, MaxStreamCount);
        if (LengthBytes != 0) ThrowUnlessWithin(LengthBytes, MinLengthBytes, MaxLengthBytes);
        ThrowUnlessWithin(BitsPerSecond, 0, long.MaxValue);
        ThrowUnlessWithin(FqBitsPerSecond, 0, long.MaxValue);
        ThrowUnlessWithin(BurstDatagrams, 0, MaxBurstDatagrams);
        ThrowUnlessWithin(Seconds, 0, MaxSeconds);
        ThrowUnlessWithin(OmitSeconds, 0, MaxOmitSeconds);
        ThrowUnlessWithin(Bytes, 0, long.MaxValue);
        ThrowUnlessWithin(Blocks, 0, long.MaxValue);
        ThrowUnlessWithin(WindowBytes, 0, MaxWindowBytes);
        ThrowUnlessWithin(TrafficClass, 0, byte.MaxValue);
        ThrowUnlessWithin(ServerCpu ?? 0, 0, MaxCpu, nameof(ServerCpu));
    }

    /// <summary>Whether an end sends on a stream, by its place in the order of their beginning.</summary>
    public bool Sends(bool isClient, int index) =>
        (Bidirectional ? index < StreamCount : !Reverse) == isClient;

    private static void ThrowUnlessWithin(
        long value, long least, long most, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
