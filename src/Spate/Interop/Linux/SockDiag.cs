namespace Spate.Interop.Linux;

/// <summary><c>linux/sock_diag.h</c>: indexes into the 32-bit words that SO_MEMINFO returns.</summary>
internal static class SockDiag
{
    /// <summary>
    /// The index of the kernel's drop count. With UDP_GRO on, the kernel counts coalesced buffers here, not datagrams.
    /// </summary>
    public const int SK_MEMINFO_DROPS = 8;
}
