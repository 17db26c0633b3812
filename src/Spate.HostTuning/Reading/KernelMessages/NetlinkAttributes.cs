using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Reading.KernelMessages;

/// <summary>Walks through attributes of netlink. One whose length is wrong ends the walk.</summary>
internal ref struct NetlinkAttributes(ReadOnlySpan<byte> bytes)
{
    private const int NumberMask = ~(Netlink.NLA_F_NESTED | Netlink.NLA_F_NET_BYTEORDER);

    private ReadOnlySpan<byte> _rest = bytes;

    public bool TryRead(out int number, out ReadOnlySpan<byte> payload)
    {
        number = 0;
        payload = default;
        int headerBytes = Unsafe.SizeOf<nlattr>();
        if (!MemoryMarshal.TryRead(_rest, out nlattr header)) return false;
        if (header.nla_len < headerBytes || header.nla_len > _rest.Length) return false;

        number = header.nla_type & NumberMask;
        payload = _rest[headerBytes..header.nla_len];
        int aligned = (header.nla_len + Netlink.NLA_ALIGNTO - 1) & -Netlink.NLA_ALIGNTO;
        _rest = _rest[Math.Min(aligned, _rest.Length)..];
        return true;
    }
}
