using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning.Files;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Counters;

/// <summary>
/// The kernel's replies about interfaces and queueing disciplines (rtnetlink(7)), for the network namespace of the
/// thread that made this. Below another root than <c>/</c> they are files, which hold the bytes of such replies. A
/// reply that cannot be had is empty.
/// </summary>
/// <remarks>
/// Counters of interfaces stand in <c>/sys/class/net</c> too, but there they are those of the namespace that
/// <c>/sys</c> was mounted in, which need not be the one that the sockets of this process are in.
/// </remarks>
internal sealed class RouteReplies : IDisposable
{
    public const string LinksFile = "netlink/links";
    public const string QueuesFile = "netlink/queues";

    // netlink_recvmsg of the kernel makes parts of a dump as large as the buffers that it is read with, up to this.
    private const int MaxPartBytes = 32 * 1024;

    // Some 700 interfaces. What a dump has beyond it is read and thrown away, since it would answer the next request.
    private const int MaxReplyBytes = 1024 * 1024;
    private const int MaxParts = 4096;
    private const int MaxAttempts = 3;

    // A header, the largest of the fixed parts and a name.
    private const int MaxRequestBytes = 64;

    private readonly SafeFileHandle? _socket;
    private readonly HostFile _links;
    private readonly HostFile _queues;
    private byte[] _buffer = new byte[2 * MaxPartBytes];
    private uint _sequence;

    public RouteReplies(string rootPath)
    {
        bool isRecorded = !string.Equals(rootPath, "/", StringComparison.Ordinal);
        var files = new HostFiles(rootPath);
        _links = isRecorded ? files.Open(LinksFile) : default;
        _queues = isRecorded ? files.Open(QueuesFile) : default;
        _socket = isRecorded ? null : OpenSocket();
    }

    [Flags]
    private enum ReplyState
    {
        None,

        /// <summary>An answer to the last request, and not what an earlier one has left behind.</summary>
        Reply = 1,
        Last = 2,

        /// <summary>The interfaces changed during the dump, which may lack some of them.</summary>
        Interrupted = 4,
    }

    /// <summary>One interface, or all.</summary>
    /// <param name="name">Bytes of UTF-8; empty for all.</param>
    /// <returns>Messages of the kernel, valid until the next call.</returns>
    public ReadOnlySpan<byte> ReadLinks(ReadOnlySpan<byte> name)
    {
        if (_socket is null) return ReadRecorded(_links);
        if (name.Length >= If.IFNAMSIZ) return default;

        Span<byte> request = stackalloc byte[MaxRequestBytes];
        request.Clear();
        int at = Unsafe.SizeOf<ifinfomsg>();
        if (name.IsEmpty) return Ask(RtNetlink.RTM_GETLINK, Netlink.NLM_F_DUMP, request[..at]);

        int attributeBytes = Unsafe.SizeOf<nlattr>() + name.Length + 1;
        var attribute = new nlattr { nla_len = (ushort)attributeBytes, nla_type = IfLink.IFLA_IFNAME };
        MemoryMarshal.Write(request[at..], in attribute);
        name.CopyTo(request[(at + Unsafe.SizeOf<nlattr>())..]);
        return Ask(RtNetlink.RTM_GETLINK, 0, request[..(at + attributeBytes)]);
    }

    /// <summary>The queueing disciplines of all interfaces: the kernel lists them in no other way.</summary>
    /// <returns>Messages of the kernel, valid until the next call.</returns>
    public ReadOnlySpan<byte> ReadQueues() => _socket is null
        ? ReadRecorded(_queues)
        : Ask(RtNetlink.RTM_GETQDISC, Netlink.NLM_F_DUMP, stackalloc byte[Unsafe.SizeOf<tcmsg>()]);

    public void Dispose()
    {
        _socket?.Dispose();
        _links.Dispose();
        _queues.Dispose();
    }

    private static SafeFileHandle? OpenSocket()
    {
        if (!OperatingSystem.IsLinux()) return null;

        int descriptor = SysSocket.socket(
            SysSocket.AF_NETLINK, SysSocket.SOCK_RAW | SysSocket.SOCK_CLOEXEC, Netlink.NETLINK_ROUTE);
        return descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
    }

    private ReadOnlySpan<byte> ReadRecorded(HostFile file)
    {
        if (file.IsMissing) return default;

        if (_buffer.Length < MaxReplyBytes) _buffer = new byte[MaxReplyBytes];
        return file.ReadAll(_buffer);
    }

    private ReadOnlySpan<byte> Ask(int type, int flags, scoped ReadOnlySpan<byte> body)
    {
        for (int attempt = 1; ; attempt++)
        {
            if (!TrySend(type, flags, body)) return default;

            bool isComplete = TryCollect(out int bytes);
            if (isComplete || attempt == MaxAttempts) return _buffer.AsSpan(0, bytes);
        }
    }

    private bool TrySend(int type, int flags, scoped ReadOnlySpan<byte> body)
    {
        if (_socket!.IsClosed) return false;

        Span<byte> request = stackalloc byte[Unsafe.SizeOf<nlmsghdr>() + MaxRequestBytes];
        int bytes = Unsafe.SizeOf<nlmsghdr>() + body.Length;
        var header = new nlmsghdr
        {
            nlmsg_len = (uint)bytes,
            nlmsg_type = (ushort)type,
            nlmsg_flags = (ushort)(Netlink.NLM_F_REQUEST | flags),
            nlmsg_seq = ++_sequence,
        };
        MemoryMarshal.Write(request, in header);
        body.CopyTo(request[Unsafe.SizeOf<nlmsghdr>()..]);
        return SysSocket.send(_socket, request[..bytes], (nuint)bytes, SysSocket.MSG_DONTWAIT) == bytes;
    }

    // The kernel makes a reply while it is asked, and the next part of a dump while one is read: none is waited for.
    private bool TryCollect(out int bytes)
    {
        bytes = 0;
        var all = ReplyState.None;
        for (int part = 0; part < MaxParts && !all.HasFlag(ReplyState.Last); part++)
        {
            if (_buffer.Length - bytes < MaxPartBytes) Array.Resize(ref _buffer, 2 * _buffer.Length);

            Span<byte> room = _buffer.AsSpan(bytes, MaxPartBytes);
            int received = (int)SysSocket.recv(_socket!, room, MaxPartBytes, SysSocket.MSG_DONTWAIT);
            if (received <= 0) break;

            ReplyState state = Look(room[..received]);
            all |= state;
            bool hasRoom = bytes + received + MaxPartBytes <= MaxReplyBytes;
            if (hasRoom && state.HasFlag(ReplyState.Reply)) bytes += received;
        }

        return !all.HasFlag(ReplyState.Interrupted);
    }

    private ReplyState Look(ReadOnlySpan<byte> part)
    {
        var state = ReplyState.None;
        var messages = new NetlinkMessages(part);
        while (messages.TryRead(out nlmsghdr header, out _))
        {
            if (header.nlmsg_seq != _sequence) continue;

            state |= ReplyState.Reply;
            if ((header.nlmsg_flags & Netlink.NLM_F_DUMP_INTR) != 0) state |= ReplyState.Interrupted;
            if ((header.nlmsg_flags & Netlink.NLM_F_MULTI) == 0
                || header.nlmsg_type is Netlink.NLMSG_DONE or Netlink.NLMSG_ERROR)
            {
                state |= ReplyState.Last;
            }
        }

        return state;
    }
}
