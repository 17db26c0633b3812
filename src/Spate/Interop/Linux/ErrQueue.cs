using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary>
/// <c>linux/errqueue.h</c>: an error as IP_RECVERR and IPV6_RECVERR deliver it, 16 bytes. The socket address of the
/// host that reported the error directly follows (<c>SO_EE_OFFENDER</c>).
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct sock_extended_err
{
    public uint ee_errno;
    public byte ee_origin;
    public byte ee_type;
    public byte ee_code;
    public byte ee_pad;

    /// <summary>The path MTU in bytes when ee_errno is EMSGSIZE.</summary>
    public uint ee_info;
    public uint ee_data;
}

/// <summary><c>linux/errqueue.h</c>: origins of queued errors.</summary>
internal static class ErrQueue
{
    public const byte SO_EE_ORIGIN_ICMP = 2;
    public const byte SO_EE_ORIGIN_ICMP6 = 3;
}
