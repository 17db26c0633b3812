using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>linux/filter.h</c>: one instruction of a classic BPF program, 8 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @sock_filter(ushort code, byte jt, byte jf, uint k)
{
    public ushort code = code;
    public byte jt = jt;
    public byte jf = jf;
    public uint k = k;
}

/// <summary><c>linux/filter.h</c>: a program; the kernel copies it during setsockopt.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @sock_fprog
{
    public ushort len;
    public sock_filter* filter;
}

/// <summary>
/// <c>linux/bpf_common.h</c>: the parts of the one instruction that sockets need, a return of a constant.
/// </summary>
internal static class Filter
{
    public const ushort BPF_RET = 0x06;
    public const ushort BPF_K = 0x00;
}
