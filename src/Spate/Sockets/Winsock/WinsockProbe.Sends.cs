using System.Net;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Interop.Windows;
using Spate.Segmentation;

namespace Spate.Sockets.Winsock;

/// <summary>Tries the offloads and the traffic class of sends, with the backend's own sender.</summary>
internal static partial class WinsockProbe
{
    private const int SmallBytes = 32;
    private const int JoinedCount = 3;
    private const int PatienceMilliseconds = 1000;
    private const int ReceiveBufferBytes = 1 << 20;
    private const string OtherBytes = "datagrams arrived corrupted over loopback";
    private const string FirstVersion = "Windows 10 2004 is the first version that has it";

    private static readonly Lazy<bool> TrafficClass =
        new(ProbeTrafficClass, LazyThreadSafetyMode.PublicationOnly);

    /// <summary>
    /// The numbers of segments to try. quinn-udp found 512 on Windows 11; no page of Microsoft names a limit.
    /// </summary>
    private static readonly int[] SegmentCounts = [512, 128, GsoLimits.DefaultMaxSegmentCount];

    /// <summary>The most segments of a GSO message, as found by <see cref="SegmentedSend"/>.</summary>
    public static int MaxSegmentCount { get; private set; } = GsoLimits.DefaultMaxSegmentCount;

    /// <summary>
    /// Whether a send takes the whole traffic class of a datagram (IP_TOS, IPV6_TCLASS), not only ECN. As msquic, this
    /// asks for the socket option of IPv6, since the one of IPv4 is accepted and ignored by versions that lack it.
    /// </summary>
    public static bool TakesTrafficClass => TrafficClass.Value;

    /// <summary>
    /// Sends GSO messages over loopback: of two datagrams, then of as many as the system takes. The segment size is a
    /// control message of each send. The socket's option stays 0, because it would split plain datagrams too.
    /// </summary>
    public static string? SegmentedSend(out string seen)
    {
        seen = string.Empty;
        string? fault = TrySegments(2);
        if (fault is not null) return fault;
        foreach (int count in SegmentCounts)
        {
            fault = TrySegments(count);
            if (fault is not null) continue;
            MaxSegmentCount = count;
            seen = $"{count} datagrams in 1 message out";
            return null;
        }

        return fault;
    }

    /// <summary>
    /// Receives datagrams that were sent as one GSO message, where that is possible. A buffer with several must come
    /// with their size: some machines leave it out (quinn issues 2041 and 2071).
    /// </summary>
    public static string? CoalescedReceive(out string seen)
    {
        seen = string.Empty;
        int maxSegmentCount = TrySegments(JoinedCount) is null ? JoinedCount : 1;
        using Socket socket = Bind();
        if (!SocketSetup.TryEnableCoalescedReceive(socket))
        {
            return $"UDP_RECV_MAX_COALESCED_SIZE was refused: {FirstVersion}";
        }

        string? fault = Send(SelfOf(socket), JoinedCount, maxSegmentCount, out UdpCounters counters);
        if (fault is not null) return fault;
        using ProbeReceiver receiver = new(socket);
        int number = 0;
        int bufferCount = 0;
        while (number < JoinedCount)
        {
            fault = receiver.Receive(PatienceMilliseconds, out ReadOnlySpan<byte> payload, out int segmentBytes);
            if (fault is not null) return $"{number} of {JoinedCount} datagrams arrived over loopback: {fault}";
            if (payload.Length > SmallBytes && segmentBytes == 0)
            {
                return "coalesced data arrived without the size of its datagrams (UDP_COALESCED_INFO)";
            }

            if (segmentBytes != 0 && segmentBytes != SmallBytes)
            {
                return $"the size of coalesced datagrams was given as {segmentBytes}, not {SmallBytes}";
            }

            bufferCount++;
            if (payload.Length == 0) return OtherBytes;
            for (; payload.Length > 0; payload = payload[SmallBytes..])
            {
                if (!IsNumber(payload[..Math.Min(SmallBytes, payload.Length)], number++)) return OtherBytes;
            }
        }

        seen = $"{JoinedCount} datagrams in {counters.MessagesSent} messages out, {bufferCount} buffers in";
        if (bufferCount == JoinedCount && maxSegmentCount > 1) seen += ", not coalesced on loopback";
        return null;
    }

    private static unsafe bool ProbeTrafficClass()
    {
        if (!OperatingSystem.IsWindows() || !Socket.OSSupportsIPv6) return false;
        using Socket socket = new(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp);
        int value = 1;

        // SAFETY: the value is on the stack for the call.
        return WinSock2.setsockopt(
            socket.Handle, Ws2IpDef.IPPROTO_IPV6, Ws2IpDef.IPV6_TCLASS, &value, sizeof(int)) == 0;
    }

    // Returns null if this many datagrams arrive, each on its own, after one send.
    private static string? TrySegments(int count)
    {
        using Socket socket = Bind();
        socket.ReceiveTimeout = PatienceMilliseconds;

        // The default of some systems is too small for the small datagrams of a long message.
        socket.ReceiveBufferSize = ReceiveBufferBytes;
        string? fault = Send(SelfOf(socket), count, count, out UdpCounters counters);
        if (fault is not null) return fault;
        if (counters.GsoFallbacks > 0) return $"a message of {count} datagrams was refused";
        byte[] buffer = new byte[count * SmallBytes];
        for (int i = 0; i < count; i++)
        {
            int length = Receive(socket, buffer);
            if (length < 0) return $"{i} of {count} datagrams arrived over loopback";
            if (length == buffer.Length) return $"UDP_SEND_MSG_SIZE was ignored: {FirstVersion}";
            if (!IsNumber(buffer.AsSpan(0, length), i)) return OtherBytes;
        }

        return null;
    }

    private static string? Send(in UdpEndPoint peer, int count, int maxSegmentCount, out UdpCounters counters)
    {
        using Socket socket = Bind();
        SocketContext context = new(socket, new UdpSocketOptions(), default);
        WinsockSender<WinsockSendCalls> sender = new(context, maxSegmentCount, takesTrafficClass: false, default);
        SendQueue queue = sender.CreateQueue(count, count * SmallBytes);
        for (int i = 0; i < count; i++)
        {
            queue.TryReserve(peer, SmallBytes, out Span<byte> payload);
            payload.Fill((byte)(i + 1));
        }

        SendResult sent = sender.Send(queue, PatienceMilliseconds);
        counters = context.Counters.Read();
        return sent.AllSent ? null : $"sending over loopback failed: {sent.FirstError}, {sent.Status}";
    }

    private static Socket Bind()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private static UdpEndPoint SelfOf(Socket socket) => UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);

    private static bool IsNumber(ReadOnlySpan<byte> payload, int number) =>
        payload.Length == SmallBytes && !payload.ContainsAnyExcept((byte)(number + 1));

    private static int Receive(Socket socket, byte[] buffer)
    {
        try
        {
            return socket.Receive(buffer);
        }
        catch (SocketException)
        {
            return -1;
        }
    }
}
