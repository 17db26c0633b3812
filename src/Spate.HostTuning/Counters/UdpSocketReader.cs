using System.Net;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>Reads the making thread's namespace, some 0.5 microseconds a socket. Any thread, one at a time.</summary>
internal sealed class UdpSocketReader : IDisposable
{
    public const int MaxSockets = 100_000;

    private const int MaxReplyBytes = 16 * 1024 * 1024;
    private const byte ProtocolUdp = 17;

    private readonly NetlinkReplies _replies;

    public UdpSocketReader(string rootPath = "/") =>
        _replies = new NetlinkReplies(Netlink.NETLINK_SOCK_DIAG, MaxReplyBytes, rootPath);

    /// <summary>In no order; null where the kernel does not list them (no <c>udp_diag</c>, or not Linux).</summary>
    public IReadOnlyList<UdpSocketCounters>? Read()
    {
        var sockets = new List<UdpSocketCounters>();
        if (!TryAdd(Ask("sockets4", SysSocket.AF_INET), sockets)) return null;

        TryAdd(Ask("sockets6", SysSocket.AF_INET6), sockets); // a kernel without IPv6 refuses
        return sockets;
    }

    public void Dispose() => _replies.Dispose();

    /// <summary>Most first. A socket that is in the later reading only dropped all meanwhile.</summary>
    internal static IReadOnlyList<UdpSocketCounters> FindDrops(
        IReadOnlyList<UdpSocketCounters>? later, IReadOnlyList<UdpSocketCounters>? earlier)
    {
        if (later is null || earlier is null) return [];

        var before = new Dictionary<long, UdpSocketCounters>();
        foreach (UdpSocketCounters one in earlier) before.TryAdd(one.Inode, one);

        return
        [
            .. later.Select(one => before.TryGetValue(one.Inode, out UdpSocketCounters? old) ? one - old : one)
                .Where(static one => one.Drops > 0)
                .OrderByDescending(static one => one.Drops),
        ];
    }

    private static bool TryAdd(ReadOnlySpan<byte> reply, List<UdpSocketCounters> sockets)
    {
        bool isAnswer = false;
        var messages = new NetlinkMessages(reply);
        while (messages.TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload))
        {
            isAnswer |= header.nlmsg_type is SockDiag.SOCK_DIAG_BY_FAMILY or Netlink.NLMSG_DONE;
            if (header.nlmsg_type == SockDiag.SOCK_DIAG_BY_FAMILY && sockets.Count < MaxSockets
                && MemoryMarshal.TryRead(payload, out inet_diag_msg socket))
            {
                sockets.Add(Parse(socket, payload[Unsafe.SizeOf<inet_diag_msg>()..]));
            }
        }

        return isAnswer;
    }

    private static UdpSocketCounters Parse(inet_diag_msg socket, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<uint> memory =
            MemoryMarshal.Cast<byte, uint>(NetlinkAttributes.Find(bytes, InetDiag.INET_DIAG_SKMEMINFO));
        return new UdpSocketCounters(
            socket.idiag_inode, (ushort)IPAddress.NetworkToHostOrder((short)socket.id.idiag_sport))
        {
            ReceiveQueueBytes = socket.idiag_rqueue,
            ReceiveBufferBytes = At(memory, SockDiag.SK_MEMINFO_RCVBUF),
            SendQueueBytes = socket.idiag_wqueue,
            SendBufferBytes = At(memory, SockDiag.SK_MEMINFO_SNDBUF),
            Drops = At(memory, SockDiag.SK_MEMINFO_DROPS),
        };
    }

    private static long? At(ReadOnlySpan<uint> words, int index) => index < words.Length ? words[index] : null;

    private ReadOnlySpan<byte> Ask(string recordedName, int family)
    {
        Span<byte> request = stackalloc byte[Unsafe.SizeOf<inet_diag_req_v2>()];
        var all = new inet_diag_req_v2
        {
            sdiag_family = (byte)family,
            sdiag_protocol = ProtocolUdp,
            idiag_ext = 1 << (InetDiag.INET_DIAG_SKMEMINFO - 1),
            idiag_states = uint.MaxValue,
        };
        MemoryMarshal.Write(request, in all);
        return _replies.Ask(recordedName, SockDiag.SOCK_DIAG_BY_FAMILY, Netlink.NLM_F_DUMP, request);
    }
}

/// <summary>What the kernel tells of one UDP socket, of any program; null where it does not tell.</summary>
/// <param name="Inode">Names the socket: a link <c>/proc/PID/fd/N</c> says <c>socket:[Inode]</c>.</param>
/// <param name="Port">0 for none.</param>
internal sealed record UdpSocketCounters(long Inode, int Port)
{
    /// <summary>Memory, more than the payloads. A difference has the later reading's.</summary>
    public long? ReceiveQueueBytes { get; init; }

    /// <summary>Memory: twice what was asked and granted, or <c>net.core.rmem_default</c> (socket(7)).</summary>
    public long? ReceiveBufferBytes { get; init; }

    /// <summary>Memory, with the queues below. A difference has the later reading's.</summary>
    public long? SendQueueBytes { get; init; }

    public long? SendBufferBytes { get; init; }

    /// <summary>Mostly for lack of room; also what its filter rejected. A coalesced buffer counts as one.</summary>
    public long? Drops { get; init; }

    public static UdpSocketCounters operator -(UdpSocketCounters later, UdpSocketCounters earlier) =>
        later.Inode == earlier.Inode
            ? later with { Drops = CounterDelta.Narrow(later.Drops, earlier.Drops) }
            : throw new ArgumentException(
                $"The counters are of two sockets, {earlier.Inode} and {later.Inode}: take both readings of one.",
                nameof(earlier));
}
