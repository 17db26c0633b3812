using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.Probing;

/// <summary>Sends probes of ICMP echo that must not be fragmented. Linux only; one thread at a time.</summary>
internal sealed class EchoSocket : IDisposable
{
    private const int MarkBytes = 16;
    private const int MaxControlBytes = 256;
    private const int MaxPacketBytes = 65_535;
    private const int Ipv4HeadBytes = 20;
    private const int Ipv6HeadBytes = 40;
    private const int MaxLeftovers = 64;

    // EAGAIN of asm-generic/errno-base.h.
    private const int WouldBlock = 11;

    // A path of satellites and filled queues takes some 600 ms.
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MinWait = TimeSpan.FromMilliseconds(200);

    // A wait is cut into these, so that a cancelled one ends soon.
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private readonly Socket _socket;
    private readonly byte[] _mark = Guid.NewGuid().ToByteArray();
    private readonly byte[] _buffer = new byte[MaxPacketBytes];
    private readonly byte[] _control = new byte[MaxControlBytes];
    private TimeSpan _wait = MaxWait;
    private ushort _sequence;

    private EchoSocket(Socket socket) => _socket = socket;

    public int MinBytes => IpHeadBytes + EchoMessage.HeadBytes + MarkBytes;

    private bool IsIpv6 => _socket.AddressFamily == AddressFamily.InterNetworkV6;

    private int IpHeadBytes => IsIpv6 ? Ipv6HeadBytes : Ipv4HeadBytes;

    /// <summary>
    /// The kernel's echo socket where <c>net.ipv4.ping_group_range</c> allows it (icmp(7)), or a raw one with
    /// CAP_NET_RAW. Null where neither is allowed, there is no route, or the kernel lacks an option.
    /// </summary>
    public static EchoSocket? TryOpen(IPAddress target) =>
        TryOpen(target, SocketType.Dgram) ?? TryOpen(target, SocketType.Raw);

    /// <summary>Waits for some multiple of other replies' time. A cancelled wait is a lost reply.</summary>
    /// <param name="packetBytes">From the head of IP on.</param>
    /// <param name="trafficClass">The last two bits are those of ECN (RFC 3168).</param>
    public EchoAnswer Exchange(int packetBytes, byte trafficClass, CancellationToken cancellationToken)
    {
        Drain();
        Span<byte> request = _buffer.AsSpan(0, Math.Min(packetBytes, MaxPacketBytes) - IpHeadBytes);
        EchoMessage.WriteRequest(
            request, _socket.AddressFamily, (ushort)Environment.ProcessId, ++_sequence, _mark);
        long start = Stopwatch.GetTimestamp();
        try
        {
            Set(IsIpv6 ? In.IPV6_TCLASS : In.IP_TOS, trafficClass);
            _ = _socket.Send(request);
        }
        catch (SocketException fault)
        {
            return new EchoAnswer(false, null, null, fault.SocketErrorCode == SocketError.MessageSize);
        }

        while (Stopwatch.GetElapsedTime(start) < _wait && !cancellationToken.IsCancellationRequested)
        {
            // The result is not used: it is false for an error that waits too, which only the next call takes away.
            _ = _socket.Poll(Step, SelectMode.SelectRead);
            int bytes = SysMessage.Receive(_socket.SafeHandle, _buffer, _control, out int controlBytes);
            if (bytes == -WouldBlock) continue;

            // An error is a router's or a host's answer: too long, or unreachable.
            if (bytes < 0) return new EchoAnswer(false, null, null, IsTooLong: true);
            if (!EchoMessage.IsReply(_buffer.AsSpan(0, bytes), _socket.AddressFamily, _sequence, _mark)) continue;

            Learn(Stopwatch.GetElapsedTime(start));
            return Read(_control.AsSpan(0, controlBytes));
        }

        return default;
    }

    public void Dispose() => _socket.Dispose();

    private static EchoSocket? TryOpen(IPAddress target, SocketType type)
    {
        if (!OperatingSystem.IsLinux()) return null;

        bool isIpv6 = target.AddressFamily == AddressFamily.InterNetworkV6;
        Socket? socket = null;
        try
        {
            socket = new Socket(
                target.AddressFamily, type, isIpv6 ? ProtocolType.IcmpV6 : ProtocolType.Icmp)
            { Blocking = false };
            var echo = new EchoSocket(socket);
            echo.Set(isIpv6 ? In.IPV6_MTU_DISCOVER : In.IP_MTU_DISCOVER, In.IP_PMTUDISC_PROBE);
            echo.Set(isIpv6 ? In.IPV6_RECVTCLASS : In.IP_RECVTOS, 1);
            echo.Set(isIpv6 ? In.IPV6_RECVFRAGSIZE : In.IP_RECVFRAGSIZE, 1);
            if (isIpv6) echo.Set(In.IPV6_DONTFRAG, 1);

            // A connected socket is given what this address sends, and errors about what was sent to it.
            socket.Connect(new IPEndPoint(target, 0));
            return echo;
        }
        catch (SocketException)
        {
            socket?.Dispose();
            return null;
        }
    }

    private void Set(int option, int value) => _socket.SetRawSocketOption(
        IsIpv6 ? In.IPPROTO_IPV6 : In.IPPROTO_IP, option, MemoryMarshal.AsBytes(new Span<int>(ref value)));

    // Answers to earlier probes: an error among them would be that of the next send.
    private void Drain()
    {
        for (int i = 0; i < MaxLeftovers; i++)
        {
            if (SysMessage.Receive(_socket.SafeHandle, _buffer, _control, out _) == -WouldBlock) return;
        }
    }

    private void Learn(TimeSpan roundTrip)
    {
        const int Multiple = 4;
        TimeSpan wait = roundTrip * Multiple;
        _wait = wait > MaxWait ? MaxWait : wait < MinWait ? MinWait : wait;
    }

    private EchoAnswer Read(ReadOnlySpan<byte> control)
    {
        int? fragmentBytes = null;
        byte? trafficClass = null;
        int headBytes = Unsafe.SizeOf<cmsghdr>();
        while (MemoryMarshal.TryRead(control, out cmsghdr head)
            && head.cmsg_len >= (nuint)headBytes && head.cmsg_len <= (nuint)control.Length)
        {
            ReadOnlySpan<byte> data = control[headBytes..(int)head.cmsg_len];
            bool isIp = head.cmsg_level == (IsIpv6 ? In.IPPROTO_IPV6 : In.IPPROTO_IP);
            if (isIp && head.cmsg_type == (IsIpv6 ? In.IPV6_RECVFRAGSIZE : In.IP_RECVFRAGSIZE)
                && MemoryMarshal.TryRead(data, out int bytes))
            {
                fragmentBytes = bytes;
            }
            else if (isIp && head.cmsg_type == (IsIpv6 ? In.IPV6_TCLASS : In.IP_TOS) && data.Length > 0)
            {
                trafficClass = IsIpv6 && MemoryMarshal.TryRead(data, out int value) ? (byte)value : data[0];
            }

            int aligned = ((int)head.cmsg_len + nint.Size - 1) & -nint.Size;
            control = control[Math.Min(aligned, control.Length)..];
        }

        return new EchoAnswer(true, fragmentBytes, trafficClass, IsTooLong: false);
    }
}

/// <summary>What became of one probe; null where unknown.</summary>
/// <param name="FragmentBytes">The largest fragment of the reply; null for a reply in one packet.</param>
/// <param name="IsTooLong">This host, or a router by a message, said that the probe is too long.</param>
internal readonly record struct EchoAnswer(bool HasPassed, int? FragmentBytes, byte? TrafficClass, bool IsTooLong);

/// <summary>Requests and replies of ICMP echo (RFC 792, RFC 4443 section 4).</summary>
internal static class EchoMessage
{
    public const int HeadBytes = 8;

    private const byte Request4 = 8;
    private const byte Reply4 = 0;
    private const byte Request6 = 128;
    private const byte Reply6 = 129;

    // The head of an IPv4 packet states its own length in words of 4 bytes.
    private const int Ipv4Version = 4;
    private const int MinIpv4HeadBytes = 20;

    private const int SequenceOffset = 6;
    private const byte Filler = 0x55;

    /// <summary>Fills the buffer. The kernel puts its own identifier there for its echo sockets (icmp(7)).</summary>
    public static void WriteRequest(
        Span<byte> buffer, AddressFamily family, ushort id, ushort sequence, ReadOnlySpan<byte> mark)
    {
        buffer.Fill(Filler);
        buffer[..HeadBytes].Clear();
        buffer[0] = family == AddressFamily.InterNetworkV6 ? Request6 : Request4;
        BinaryPrimitives.WriteUInt16BigEndian(buffer[4..], id);
        BinaryPrimitives.WriteUInt16BigEndian(buffer[SequenceOffset..], sequence);
        mark.CopyTo(buffer[HeadBytes..]);

        // For IPv6 the sum covers the addresses too; the kernel writes that one by itself (RFC 3542, 3.1).
        if (family == AddressFamily.InterNetwork) BinaryPrimitives.WriteUInt16BigEndian(buffer[2..], Checksum(buffer));
    }

    /// <summary>For IPv4 the message may have the head of its packet ahead of it (raw(7)).</summary>
    public static bool IsReply(
        ReadOnlySpan<byte> message, AddressFamily family, ushort sequence, ReadOnlySpan<byte> mark)
    {
        if (family == AddressFamily.InterNetwork && message.Length >= MinIpv4HeadBytes
            && message[0] >> 4 == Ipv4Version)
        {
            message = message[Math.Min(message.Length, (message[0] & 0xf) * 4)..];
        }

        byte type = family == AddressFamily.InterNetworkV6 ? Reply6 : Reply4;
        return message.Length >= HeadBytes + mark.Length
            && message[0] == type
            && BinaryPrimitives.ReadUInt16BigEndian(message[SequenceOffset..]) == sequence
            && message.Slice(HeadBytes, mark.Length).SequenceEqual(mark);
    }

    // RFC 1071.
    private static ushort Checksum(ReadOnlySpan<byte> bytes)
    {
        uint sum = 0;
        for (int i = 0; i < bytes.Length; i += 2)
        {
            sum += (uint)(bytes[i] << 8 | (i + 1 < bytes.Length ? bytes[i + 1] : 0));
        }

        while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
        return (ushort)~sum;
    }
}
