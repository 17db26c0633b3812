namespace Spate.Sockets;

/// <summary>The environment variables that switch features off without a release, read once per process.</summary>
internal static class Switches
{
    private static readonly string? BackendValue = Environment.GetEnvironmentVariable("SPATE_BACKEND");

    /// <summary>
    /// SPATE_BACKEND: portable, mmsg, uring, or automatic as if it were not set; null for any other value.
    /// </summary>
    public static UdpBackend? Backend { get; } = ParseBackend(BackendValue);

    /// <summary>The message for a wrong SPATE_BACKEND, bounded and without control characters for a terminal.</summary>
    public static string BackendFault { get; } = DescribeFault(BackendValue);

    /// <summary>SPATE_GSO: 0, off, false or no switch GSO messages off.</summary>
    public static bool SegmentedSend { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GSO"));

    /// <summary>SPATE_GRO: the same for coalesced receive.</summary>
    public static bool CoalescedReceive { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GRO"));

    internal static UdpBackend? ParseBackend(string? value) => value?.Trim().ToUpperInvariant() switch
    {
        null or "" or "AUTOMATIC" => UdpBackend.Automatic,
        "PORTABLE" => UdpBackend.Portable,
        "MMSG" => UdpBackend.Mmsg,
        "URING" => UdpBackend.Uring,
        _ => null,
    };

    internal static string DescribeFault(string? value)
    {
        const int maxShownChars = 20;
        IEnumerable<char> shown = (value ?? string.Empty).Take(maxShownChars)
            .Select(static one => char.IsAsciiLetterOrDigit(one) || one is '-' or '_' or '.' ? one : '?');
        return $"SPATE_BACKEND is \"{string.Concat(shown)}\", expected portable, mmsg, uring or automatic: "
            + "set one of these or unset it.";
    }

    internal static bool IsOff(string? value) => value?.Trim().ToUpperInvariant() is "0" or "OFF" or "FALSE" or "NO";
}
