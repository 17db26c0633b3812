using System.Buffers.Binary;
using Spate.Interop.Linux;

namespace Spate.Tests.Serving.Steering;

/// <summary>Runs the part of classic BPF that steering uses, over a packet that begins with its IP header.</summary>
internal static class BpfInterpreter
{
    private const ushort ModeMask = 0xe0;

    public static uint Run(
        ReadOnlySpan<sock_filter> program, ReadOnlySpan<byte> packet, int cpuIndex = 0, uint random = 0)
    {
        uint a = 0, x = 0;
        Span<uint> memory = stackalloc uint[16];
        for (int at = 0; at < program.Length; at++)
        {
            sock_filter step = program[at];
            switch (step.code & 7)
            {
                case Filter.BPF_LD:
                    a = (step.code & ModeMask) switch
                    {
                        Filter.BPF_IMM => step.k,
                        Filter.BPF_ABS => Load(packet, step.code, (int)step.k, cpuIndex, random),
                        Filter.BPF_IND => Load(packet, step.code, (int)(step.k + x), cpuIndex, random),
                        _ => throw new NotSupportedException($"Load {step.code:x}."),
                    };
                    break;
                case Filter.BPF_LDX:
                    x = (step.code & ModeMask) switch
                    {
                        Filter.BPF_MEM => memory[(int)step.k],
                        Filter.BPF_MSH => 4 * (Load(packet, Filter.BPF_B, (int)step.k, cpuIndex, random) & 0xf),
                        _ => throw new NotSupportedException($"Load {step.code:x}."),
                    };
                    break;
                case Filter.BPF_ST:
                    memory[(int)step.k] = a;
                    break;
                case Filter.BPF_ALU:
                    a = Calculate(a, step.code & 0xf0, (step.code & Filter.BPF_X) != 0 ? x : step.k);
                    break;
                case Filter.BPF_JMP:
                    Assert.Equal(Filter.BPF_JMP | Filter.BPF_JEQ | Filter.BPF_K, step.code);
                    at += a == step.k ? step.jt : step.jf;
                    break;
                case Filter.BPF_MISC:
                    x = a;
                    break;
                default:
                    return (step.code & Filter.BPF_A) != 0 ? a : step.k;
            }
        }

        throw new InvalidOperationException("The program ran past its end.");
    }

    private static uint Calculate(uint a, int operation, uint operand) => operation switch
    {
        Filter.BPF_ADD => a + operand,
        Filter.BPF_MUL => a * operand,
        Filter.BPF_RSH => a >> (int)operand,
        Filter.BPF_MOD => a % operand,
        Filter.BPF_XOR => a ^ operand,
        _ => throw new NotSupportedException($"Operation {operation:x}."),
    };

    private static uint Load(ReadOnlySpan<byte> packet, int code, int offset, int cpuIndex, uint random)
    {
        if (offset == Filter.SKF_AD_OFF + Filter.SKF_AD_RANDOM) return random;
        if (offset == Filter.SKF_AD_OFF + Filter.SKF_AD_CPU) return (uint)cpuIndex;
        ReadOnlySpan<byte> at = packet[(offset - Filter.SKF_NET_OFF)..];
        return (code & 0x18) switch
        {
            Filter.BPF_W => BinaryPrimitives.ReadUInt32BigEndian(at),
            Filter.BPF_H => BinaryPrimitives.ReadUInt16BigEndian(at),
            _ => at[0],
        };
    }
}
