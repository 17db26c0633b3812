namespace Spate.Sockets;

/// <summary>Kernel versions that matter for faults that a probe cannot detect.</summary>
internal static class LinuxKernel
{
    /// <summary>
    /// Before 5.12 UDP_GRO has checksum and segmentation bugs that no probe finds; wireguard-go draws the same line.
    /// </summary>
    public static readonly Version SoundCoalescing = new(5, 12);

    private static readonly Version GsoCorruptionFrom = new(7, 0);
    private static readonly Version GsoCorruptionFixed = new(7, 1, 5);

    public static Version Version { get; } = Environment.OSVersion.Version;

    /// <summary>7.0-rc1 (b10b446) to 7.1.4 write bad UDP headers if all segments of a GSO message are equal.</summary>
    public static bool CorruptsGso(Version kernel) => kernel >= GsoCorruptionFrom && kernel < GsoCorruptionFixed;
}
