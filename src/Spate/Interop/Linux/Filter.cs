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

/// <summary><c>linux/filter.h</c>: a classic BPF program. The kernel copies the program during setsockopt.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct @sock_fprog
{
    public ushort len;
    public sock_filter* filter;
}

/// <summary><c>linux/filter.h</c> and <c>linux/bpf_common.h</c>: classic BPF.</summary>
internal static class Filter
{
    public const ushort BPF_LD = 0x00;
    public const ushort BPF_LDX = 0x01;
    public const ushort BPF_ST = 0x02;
    public const ushort BPF_ALU = 0x04;
    public const ushort BPF_JMP = 0x05;
    public const ushort BPF_RET = 0x06;
    public const ushort BPF_MISC = 0x07;

    public const ushort BPF_W = 0x00;
    public const ushort BPF_H = 0x08;
    public const ushort BPF_B = 0x10;

    public const ushort BPF_IMM = 0x00;
    public const ushort BPF_ABS = 0x20;
    public const ushort BPF_IND = 0x40;
    public const ushort BPF_MEM = 0x60;
    public const ushort BPF_MSH = 0xa0;

    public const ushort BPF_ADD = 0x00;
    public const ushort BPF_MUL = 0x20;
    public const ushort BPF_RSH = 0x70;
    public const ushort BPF_MOD = 0x90;
    public const ushort BPF_XOR = 0xa0;
    public const ushort BPF_JEQ = 0x10;
    public const ushort BPF_K = 0x00;
    public const ushort BPF_X = 0x08;
    public const ushort BPF_A = 0x10;
    public const ushort BPF_TAX = 0x00;

    /// <summary>
    /// The base of special offsets. A load at this base plus an SKF_AD number does not read the packet, but returns a
    /// fact about it, such as the CPU that processes it, or a random number (Linux 3.16).
    /// </summary>
    public const int SKF_AD_OFF = -0x1000;
    public const int SKF_AD_CPU = 36;
    public const int SKF_AD_RANDOM = 56;

    /// <summary>The base of offsets that are counted from the network header.</summary>
    public const int SKF_NET_OFF = -0x100000;
}
