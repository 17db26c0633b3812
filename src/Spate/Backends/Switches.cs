namespace Spate.Backends;

/// <summary>The environment variables that switch things off without a release, read once per process.</summary>
internal static class Switches
{
    /// <summary>SPATE_BACKEND: portable, mmsg; anything else is as if it were not set.</summary>
    public static UdpBackend Backend { get; } = ParseBackend(Environment.GetEnvironmentVariable("SPATE_BACKEND"));

    /// <summary>SPATE_GSO: 0, off, false or no switch trains off.</summary>
    public static bool SegmentedSend { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GSO"));

    /// <summary>SPATE_GRO: the same for coalesced receive.</summary>
    public static bool CoalescedReceive { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GRO"));

    internal static UdpBackend ParseBackend(string? value) => value?.Trim().ToUpperInvariant() switch
    {
        "PORTABLE" => UdpBackend.Portable,
        "MMSG" => UdpBackend.Mmsg,
        _ => UdpBackend.Automatic,
    };

    internal static bool IsOff(string? value) => value?.Trim().ToUpperInvariant() is "0" or "OFF" or "FALSE" or "NO";
}
