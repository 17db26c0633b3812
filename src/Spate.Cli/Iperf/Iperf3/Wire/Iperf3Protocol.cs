using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// The datagrams of a stream: the two that begin it, and the header of data, which is the sender's monotonic time and a
/// counter from 1, all in network order.
/// </summary>
internal static class Iperf3Datagram
{
    public const int ConnectBytes = 4;

    private const int MicrosecondsOffset = 4;
    private const int CounterOffset = 8;
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const long NanosecondsPerMicrosecond = 1000;

    public static ReadOnlySpan<byte> ConnectRequest => "9876"u8;

    public static ReadOnlySpan<byte> ConnectReply => "6789"u8;

    /// <summary>What a client of iperf3 up to 3.11 begins with on a little-endian host: 123456789.</summary>
    public static ReadOnlySpan<byte> LegacyConnectRequest => [0x15, 0xCD, 0x5B, 0x07];

    /// <summary>What a server of iperf3 up to 3.11 answers on a little-endian host: 987654321.</summary>
    public static ReadOnlySpan<byte> LegacyConnectReply => [0xB1, 0x68, 0xDE, 0x3A];

    public static int HeaderBytes(bool is64) => CounterOffset + (is64 ? sizeof(ulong) : sizeof(uint));

    /// <summary>
    /// Whether a datagram answers <see cref="ConnectRequest"/>. Up to 3.16 a big-endian host sent the bytes of the
    /// number in its own order, so these are answers too.
    /// </summary>
    public static bool IsConnectReply(ReadOnlySpan<byte> datagram) => datagram.Length == ConnectBytes
        && (datagram.SequenceEqual(ConnectReply)
            || datagram.SequenceEqual(LegacyConnectReply)
            || datagram.SequenceEqual("9876"u8)
            || datagram.SequenceEqual<byte>([0x3A, 0xDE, 0x68, 0xB1]));

    /// <summary>Whole microseconds are sent, and of a 32-bit counter the lower bits.</summary>
    public static void Write(Span<byte> datagram, long nanoseconds, long counter, bool is64)
    {
        (long seconds, long rest) = Math.DivRem(nanoseconds, NanosecondsPerSecond);
        BinaryPrimitives.WriteUInt32BigEndian(datagram, unchecked((uint)seconds));
        BinaryPrimitives.WriteUInt32BigEndian(
            datagram[MicrosecondsOffset..], unchecked((uint)(rest / NanosecondsPerMicrosecond)));
        Span<byte> end = datagram[CounterOffset..];
        if (is64) BinaryPrimitives.WriteUInt64BigEndian(end, unchecked((ulong)counter));
        else BinaryPrimitives.WriteUInt32BigEndian(end, unchecked((uint)counter));
    }

    /// <summary>False for a datagram that is too short. Else the values are as a stranger wrote them.</summary>
    public static bool TryRead(
        ReadOnlySpan<byte> datagram, bool is64, out long sentNanoseconds, out ulong rawCounter)
    {
        if (datagram.Length < HeaderBytes(is64))
        {
            (sentNanoseconds, rawCounter) = (0, 0);
            return false;
        }

        sentNanoseconds = (BinaryPrimitives.ReadUInt32BigEndian(datagram) * NanosecondsPerSecond)
            + (BinaryPrimitives.ReadUInt32BigEndian(datagram[MicrosecondsOffset..]) * NanosecondsPerMicrosecond);
        ReadOnlySpan<byte> end = datagram[CounterOffset..];
        rawCounter = is64 ? BinaryPrimitives.ReadUInt64BigEndian(end) : BinaryPrimitives.ReadUInt32BigEndian(end);
        return true;
    }
}

/// <summary>The states that an end of the control connection tells, each in one signed byte (iperf_api.h).</summary>
internal enum Iperf3State : sbyte
{
    /// <summary>An error of the server; its number and that of its system follow.</summary>
    ServerError = -2,

    AccessDenied = -1,

    None = 0,
    TestStart = 1,
    TestRunning = 2,
    ResultRequest = 3,
    TestEnd = 4,
    StreamBegin = 5,
    StreamRunning = 6,
    StreamEnd = 7,
    AllStreamsEnd = 8,
    ParameterExchange = 9,
    CreateStreams = 10,
    ServerTerminate = 11,
    ClientTerminate = 12,
    ExchangeResults = 13,
    DisplayResults = 14,
    Start = 15,
    Done = 16,
}

/// <summary>The errors of UDP tests (i_errno of iperf_api.h); iperf3 prints its own sentence for each.</summary>
internal static class Iperf3Error
{
    /// <summary>The length of the two numbers behind <see cref="Iperf3State.ServerError"/>.</summary>
    public const int PairBytes = 8;

    // Those that this program sends. The others have a sentence alone.
    public const int Duration = 5;
    public const int StreamCount = 6;
    public const int WindowSize = 8;
    public const int Omit = 12;
    public const int Burst = 15;
    public const int UdpBlockSize = 20;
    public const int TrafficClass = 21;
    public const int ReverseAndBidirectional = 25;
    public const int TotalRate = 27;
    public const int MaxDuration = 37;
    public const int ReceiveParameters = 114;
    public const int Protocol = 131;
    public const int Affinity = 132;
    public const int NoData = 144;
    public const int DurationExpired = 160;
    public const int StreamAccept = 204;
    public const int StreamRead = 206;

    // No system has more: Windows's numbers of sockets end below 12,000.
    private const int MaxSystemError = 12_000;

    /// <summary>One line: what an error means, and what the other end's system said to it.</summary>
    /// <param name="errno">The number of the other end's system; 0 for none.</param>
    public static string TextOf(int code, int errno)
    {
        string text = SentenceOf(code)
            ?? $"unknown error {code}";
        if (errno is 0 || !NamesSystemError(code)) return text;

        return errno is > 0 and < MaxSystemError && OperatingSystem.IsLinux()
            ? $"{text}: {Marshal.GetPInvokeErrorMessage(errno)}"
            : $"{text}: error {errno} of its system";
    }

    /// <summary>Whether iperf3 prints the system's error behind its sentence; for 0 that is "Success".</summary>
    private static bool NamesSystemError(int code) => code
        is 28 or 101 or 102 or 103 or 104 or 105 or 106 or 107 or 108 or (>= 111 and <= 118) or (>= 122 and <= 126)
        or (>= 128 and <= 130) or 132 or 133 or 135 or 136 or 140 or (>= 200 and <= 206) || SentenceOf(code) is null;

    private static string? SentenceOf(int code) => code switch
    {
        Duration => "the test would take too long: at most 86400 seconds",
        StreamCount => "too many parallel streams: at most 128",
        7 => "the block size is too large: at most 1048576 bytes",
        WindowSize => "the socket buffer is too large: at most 536870912 bytes",
        Omit => "the time to omit is out of range: 0 to 600 seconds",
        Burst => "the burst is out of range: at most 1000",
        UdpBlockSize => "the block size is invalid: 16 to 65507 bytes",
        TrafficClass => "the TOS value is invalid: 0 to 255",
        ReverseAndBidirectional => "a test cannot be both reverse and bidirectional",
        TotalRate => "the total bandwidth is above the server's limit",
        MaxDuration => "the test would take longer than the server allows",
        101 => "the test could not be set up",
        107 => "writing to the control connection failed",
        108 => "reading from the control connection failed",
        109 => "the control connection was closed unexpectedly",
        110 => "an unknown control message was received",
        ReceiveParameters => "the server could not take the parameters",
        115 => "the results could not be packed",
        116 => "the results could not be sent",
        117 => "the results could not be received",
        119 => "the client has terminated",
        120 => "the server has terminated",
        121 => "the server is busy running a test: try again later",
        124 => "the socket buffer could not be set",
        125 => "the TOS value could not be set",
        126 => "the IPv6 traffic class could not be set",
        128 => "the address could not be used again",
        Protocol => "the protocol does not exist at the server",
        Affinity => "the CPU affinity could not be set",
        140 => "the pacing of the socket could not be set",
        141 => "the socket buffer was not set to the requested size",
        142 => "the authorization of the test failed",
        NoData => "no data came in time: idle timeout of the receiver",
        145 => "the Do-Not-Fragment flag could not be set",
        DurationExpired => "the test took longer than the server waits",
        200 => "a stream could not be created",
        201 => "a stream could not be initialized",
        202 => "the listener of the streams could not be started",
        203 => "a stream could not connect",
        StreamAccept => "the connection of a stream could not be accepted",
        205 => "writing to a stream failed",
        StreamRead => "reading from a stream failed",
        207 => "a stream was closed unexpectedly",
        208 => "a stream has an invalid id",
        _ => null,
    };
}

/// <summary>A test of iperf3's protocol could not go on. The message is one line for people, and says why.</summary>
internal sealed class Iperf3Exception : Exception
{
    /// <param name="message">It may hold text of the other end: whatever shows it escapes it.</param>
    public Iperf3Exception(string message, Exception? cause = null)
        : base(message, cause)
    {
    }
}
