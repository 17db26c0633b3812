using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/netlink.h</c>: the head of every message, 16 bytes; its length includes itself.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @nlmsghdr
{
    public uint nlmsg_len;
    public ushort nlmsg_type;
    public ushort nlmsg_flags;
    public uint nlmsg_seq;
    public uint nlmsg_pid;
}

/// <summary><c>linux/netlink.h</c>: the head of an attribute, 4 bytes; its length includes itself.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @nlattr
{
    public ushort nla_len;
    public ushort nla_type;
}

/// <summary><c>linux/netlink.h</c>: messages to and from the kernel (netlink(7)).</summary>
internal static class Netlink
{
    public const int NETLINK_ROUTE = 0;
    public const int NETLINK_SOCK_DIAG = 4;

    public const int NLM_F_REQUEST = 0x1;
    public const int NLM_F_MULTI = 0x2;
    public const int NLM_F_ACK = 0x4;
    public const int NLM_F_REPLACE = 0x100;

    /// <summary>What the dump goes through was changed while it was made: it may lack something.</summary>
    public const int NLM_F_DUMP_INTR = 0x10;
    public const int NLM_F_DUMP = 0x300;
    public const int NLM_F_CREATE = 0x400;

    public const int NLMSG_ERROR = 0x2;
    public const int NLMSG_DONE = 0x3;

    public const int NLMSG_ALIGNTO = 4;
    public const int NLA_ALIGNTO = 4;

    /// <summary>Bits of an attribute's type that do not belong to its number.</summary>
    public const int NLA_F_NESTED = 0x8000;
    public const int NLA_F_NET_BYTEORDER = 0x4000;
}
