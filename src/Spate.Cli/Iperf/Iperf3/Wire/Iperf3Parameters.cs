using System.Runtime.CompilerServices;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// What a client asks for in a UDP test of iperf3's protocol. The ranges are those that iperf3 keeps (iperf_api.c).
/// </summary>
internal sealed record Iperf3Parameters
{
    /// <summary>The rate that iperf3 gives a UDP stream where none is named: 1 Mibit/s (UDP_RATE).</summary>
    public const long DefaultBitsPerSecond = 1_048_576;

    /// <summary>The length of a datagram where neither a length nor the path's MSS is known.</summary>
    public const int DefaultLengthBytes = 1460;

    /// <summary>The shortest datagram: the header with a counter of 64 bits (MIN_UDP_BLOCKSIZE).</summary>
    public const int MinLengthBytes = 16;

    /// <summary>The longest datagram, the largest payload of UDP over IPv4.</summary>
    public const int MaxLengthBytes = 65_507;

    /// <summary>The most streams of a direction (MAX_STREAMS).</summary>
    public const int MaxStreamCount = 128;

    /// <summary>The longest test in seconds (MAX_TIME).</summary>
    public const int MaxSeconds = 86_400;

    /// <summary>The longest time that is left out at the beginning, in seconds (MAX_OMIT_TIME).</summary>
    public const int MaxOmitSeconds = 600;

    /// <summary>The largest burst in datagrams (MAX_BURST).</summary>
    public const int MaxBurstDatagrams = 1000;

    /// <summary>The largest socket buffer in bytes (MAX_TCP_BUFFER).</summary>
    public const int MaxWindowBytes = 512 * 1024 * 1024;

    /// <summary>The highest number of a CPU.</summary>
    public const int MaxCpu = 1024;

    /// <summary>The server sends. Default: false.</summary>
    public bool Reverse { get; init; }

    /// <summary>Both ends send. Default: false.</summary>
    public bool Bidirectional { get; init; }

    /// <summary>Streams in each direction, 1 to <see cref="MaxStreamCount"/>. Default: 1.</summary>
    public int StreamCount { get; init; } = 1;

    /// <summary>
    /// Payload bytes of every datagram, <see cref="MinLengthBytes"/> to <see cref="MaxLengthBytes"/>; 0 (the default)
    /// for the MSS of the control connection.
    /// </summary>
    public int LengthBytes { get; init; }

    /// <summary>
    /// Payload bits a second of each stream; 0 for no limit. Default: <see cref="DefaultBitsPerSecond"/>.
    /// </summary>
    public long BitsPerSecond { get; init; } = DefaultBitsPerSecond;

    /// <summary>
    /// Datagrams that leave at once, up to <see cref="MaxBurstDatagrams"/>; 0 (the default) for what the pacing finds
    /// best.
    /// </summary>
    public int BurstDatagrams { get; init; }

    /// <summary>
    /// The time of the test without <see cref="OmitSeconds"/>, in seconds; 0 for no end by time. Default: 10.
    /// </summary>
    public int Seconds { get; init; } = 10;

    /// <summary>Seconds at the beginning that are left out of the results. Default: 0.</summary>
    public int OmitSeconds { get; init; }

    /// <summary>Payload bytes of all streams after which the test ends; 0 (the default) for no such end.</summary>
    public long Bytes { get; init; }

    /// <summary>Datagrams of all streams after which the test ends; 0 (the default) for no such end.</summary>
    public long Blocks { get; init; }

    /// <summary>The socket buffers in bytes at both ends; 0 (the default) for those of the ends.</summary>
    public int WindowBytes { get; init; }

    /// <summary>Datagrams have counters of 64 bits instead of 32. Default: false.</summary>
    public bool Counters64Bit { get; init; }

    /// <summary>The server sends what it has printed with its results. Default: false.</summary>
    public bool GetServerOutput { get; init; }

    /// <summary>The byte of the traffic class, 0 to 255. Default: 0.</summary>
    public int TrafficClass { get; init; }

    /// <summary>Datagrams must not be fragmented. Default: false.</summary>
    public bool DontFragment { get; init; }

    /// <summary>Payloads hold digits instead of random bytes. Default: false.</summary>
    public bool RepeatingPayload { get; init; }

    /// <summary>The CPU that the server's threads are to use; null (the default) for none.</summary>
    public int? ServerCpu { get; init; }

    /// <summary>
    /// The other end is asked for GSO messages and coalesced buffers, which iperf3 has since 3.21 (--gsro). This
    /// program uses them anyway. Default: false.
    /// </summary>
    public bool Gsro { get; init; }

    /// <summary>The rate that the socket's own pacing keeps, in bit/s; 0 (the default) for none.</summary>
    public long FqBitsPerSecond { get; init; }

    /// <summary>A word that begins every line of the output. Default: empty.</summary>
    public string Title { get; init; } = "";

    /// <summary>Text for the output in JSON. Default: empty.</summary>
    public string ExtraData { get; init; } = "";

    /// <summary>The version that the client names. Default: empty.</summary>
    public string ClientVersion { get; init; } = "";

    /// <summary>Streams of both directions together.</summary>
    public int AllStreamCount => Bidirectional ? 2 * StreamCount : StreamCount;

    /// <summary>The sockets of an end, as this test wants them.</summary>
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

    /// <summary>Whether an end sends on a stream.</summary>
    /// <param name="isClient">Which end.</param>
    /// <param name="index">The stream's place in the order of their beginning, from 0.</param>
    public bool Sends(bool isClient, int index) =>
        (Bidirectional ? index < StreamCount : !Reverse) == isClient;

    private static void ThrowUnlessWithin(
        long value, long least, long most, [CallerArgumentExpression(nameof(value))] string? name = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, most, name);
    }
}
