namespace Spate.Sockets;

/// <summary>The kernel versions with bugs that a probe cannot detect.</summary>
internal static class LinuxKernel
{
    /// <summary>
    /// The first kernel version on which Spate uses UDP_GRO. Earlier versions have checksum and segmentation bugs in
    /// UDP_GRO that no probe finds; wireguard-go also requires 5.12.
    /// </summary>
    public static readonly Version SoundCoalescing = new(5, 12);

    private static readonly Version GsoCorruptionFrom = new(7, 0);
    private static readonly Version GsoCorruptionFixed = new(7, 1, 5);

    public static Version Version { get; } = Environment.OSVersion.Version;

    /// <summary>
    /// Whether this kernel writes bad UDP headers if all segments of a GSO message are equally long: 7.0-rc1 (b10b446)
    /// to 7.1.4.
    /// </summary>
    public static bool CorruptsGso(Version kernel) => kernel >= GsoCorruptionFrom && kernel < GsoCorruptionFixed;
}
