using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.KernelMessages;

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
        _rest = _rest[Math.Min(Align(end), _rest.Length)..];
        return true;
    }

    private static int Align(int length) => (length + Netlink.NLMSG_ALIGNTO - 1) & -Netlink.NLMSG_ALIGNTO;
}
