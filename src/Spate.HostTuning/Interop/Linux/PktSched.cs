namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/pkt_sched.h</c>: handles of queueing disciplines, two numbers of 16 bits.</summary>
internal static class PktSched
{
    public const uint TC_H_MIN_MASK = 0x0000FFFF;

    /// <summary>The parent of the discipline that sees what comes in; lower numbers are classes.</summary>
    public const uint TC_H_INGRESS = 0xFFFFFFF1;

    /// <summary>The parent of the discipline that an interface sends through.</summary>
    public const uint TC_H_ROOT = 0xFFFFFFFF;
}
