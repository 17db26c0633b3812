using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading;

/// <summary>
/// The kernel's replies to requests of one netlink protocol (netlink(7)), for the network namespace of the thread that
/// made this. Below another root than <c>/</c> they are files <c>netlink/NAME</c>, which hold the bytes of such
/// replies. A reply that cannot be had is empty. One thread at a time.
/// </summary>
internal sealed class NetlinkReplies : IDisposable
{
    // netlink_recvmsg of the kernel makes parts of a dump as large as the buffers that it is read with, up to this.
    private const int MaxPartBytes = 32 * 1024;
    private const int MaxParts = 4096;
    private const int MaxAttempts = 3;

    // A header, the largest of the fixed parts and a name.
    private const int MaxRequestBytes = 64;

    private readonly HostFiles _files;
    private readonly int _maxReplyBytes;
    private readonly SafeFileHandle? _socket;
    private readonly bool _isRecorded;
    private byte[] _buffer = new byte[2 * MaxPartBytes];
    private uint _sequence;

    /// <summary>The rest of a longer dump is read and thrown away: it would answer the next request.</summary>
    public NetlinkReplies(int protocol, int maxReplyBytes, string rootPath)
    {
        _maxReplyBytes = maxReplyBytes;
        _files = new HostFiles(rootPath);
        _isRecorded = !string.Equals(rootPath, "/", StringComparison.Ordinal);
        _socket = _isRecorded ? null : OpenSocket(protocol);
    }

    [Flags]
    private enum ReplyState
    {
        None,

        /// <summary>And not what an earlier request has left behind.</summary>
        Reply = 1,
        Last = 2,

        /// <summary>The table changed during the dump, which may lack some of it.</summary>
        Interrupted = 4,
    }

    /// <summary><c>body</c>: at most 64 bytes behind the header. The answer is valid until the next call.</summary>
    public ReadOnlySpan<byte> Ask(string recordedName, int type, int flags, scoped ReadOnlySpan<byte> body)
    {
        if (_isRecorded) return ReadRecorded(recordedName);

        for (int attempt = 1; _socket is { IsClosed: false }; attempt++)
        {
            if (!TrySend(type, flags, body)) return default;

            bool isComplete = TryCollect(out int bytes);
            if (isComplete || attempt == MaxAttempts) return _buffer.AsSpan(0, bytes);
        }

        return default;
    }

    public void Dispose() => _socket?.Dispose();

    private static SafeFileHandle? OpenSocket(int protocol)
    {
        if (!OperatingSystem.IsLinux()) return null;

        int descriptor = SysSocket.socket(
            SysSocket.AF_NETLINK, SysSocket.SOCK_RAW | SysSocket.SOCK_CLOEXEC, protocol);
        return descriptor < 0 ? null : new SafeFileHandle(descriptor, ownsHandle: true);
    }

    private ReadOnlySpan<byte> ReadRecorded(string name)
    {
        using HostFile file = _files.Open("netlink/" + name);
        return file.ReadAll(ref _buffer, _maxReplyBytes);
    }

    private bool TrySend(int type, int flags, scoped ReadOnlySpan<byte> body)
    {
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
        return SysSocket.send(_socket!, request[..bytes], (nuint)bytes, SysSocket.MSG_DONTWAIT) == bytes;
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
            bool hasRoom = bytes + received + MaxPartBytes <= _maxReplyBytes;
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

/// <summary>Walks through netlink messages. A wrong length ends the walk: nothing behind can be trusted.</summary>
internal ref struct NetlinkMessages(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    public bool TryRead(out nlmsghdr header, out ReadOnlySpan<byte> payload)
    {
        payload = default;
        if (!MemoryMarshal.TryRead(_rest, out header)) return false;

        int headerBytes = Unsafe.SizeOf<nlmsghdr>();
        if (header.nlmsg_len < headerBytes || header.nlmsg_len > _rest.Length) return false;

        int end = (int)header.nlmsg_len;
        payload = _rest[headerBytes..end];
        _rest = After(_rest, end);
        return true;
    }

    /// <summary>What follows a part of this length: attributes and next hops are aligned as messages are.</summary>
    public static ReadOnlySpan<byte> After(ReadOnlySpan<byte> bytes, int length)
    {
        int aligned = (length + Netlink.NLMSG_ALIGNTO - 1) & -Netlink.NLMSG_ALIGNTO;
        return bytes[Math.Min(aligned, bytes.Length)..];
    }
}

/// <summary>Walks through attributes of netlink. One whose length is wrong ends the walk.</summary>
internal ref struct NetlinkAttributes(ReadOnlySpan<byte> bytes)
{
    private const int NumberMask = ~(Netlink.NLA_F_NESTED | Netlink.NLA_F_NET_BYTEORDER);

    private ReadOnlySpan<byte> _rest = bytes;

    /// <summary>The payload of the last attribute with this number; empty for none.</summary>
    public static ReadOnlySpan<byte> Find(ReadOnlySpan<byte> bytes, int wanted)
    {
        ReadOnlySpan<byte> found = default;
        var attributes = new NetlinkAttributes(bytes);
        while (attributes.TryRead(out int number, out ReadOnlySpan<byte> payload))
        {
            if (number == wanted) found = payload;
        }

        return found;
    }

    /// <summary>Writes an attribute. Returns its bytes, and those of a NUL that may follow the text in it.</summary>
    public static int Write(Span<byte> body, int number, ReadOnlySpan<byte> value, bool endsInNul = false)
    {
        int bytes = Unsafe.SizeOf<nlattr>() + value.Length + (endsInNul ? 1 : 0);
        var header = new nlattr { nla_len = (ushort)bytes, nla_type = (ushort)number };
        MemoryMarshal.Write(body, in header);
        value.CopyTo(body[Unsafe.SizeOf<nlattr>()..]);
        return bytes;
    }

    public bool TryRead(out int number, out ReadOnlySpan<byte> payload)
    {
        number = 0;
        payload = default;
        int headerBytes = Unsafe.SizeOf<nlattr>();
        if (!MemoryMarshal.TryRead(_rest, out nlattr header)) return false;
        if (header.nla_len < headerBytes || header.nla_len > _rest.Length) return false;

        number = header.nla_type & NumberMask;
        payload = _rest[headerBytes..header.nla_len];
        _rest = NetlinkMessages.After(_rest, header.nla_len);
        return true;
    }
}
