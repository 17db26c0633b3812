using System.Globalization;

namespace Spate.Sockets;

/// <summary>
/// The environment variables that set what belongs to a process, or switch features off without a new release. Read
/// once per process.
/// </summary>
internal static class Switches
{
    private const int MaxEventThreadCount = 64;
    private const int CpusPerEventThread = 8;

    private static readonly string? BackendValue = Environment.GetEnvironmentVariable("SPATE_BACKEND");

    /// <summary>
    /// The value of SPATE_BACKEND: portable, mmsg, uring, winsock, rio or automatic. Automatic if the variable is not
    /// set or empty; null if it has any other value.
    /// </summary>
    public static UdpBackend? Backend { get; } = ParseBackend(BackendValue);

    /// <summary>
    /// The message for an invalid SPATE_BACKEND. Shows at most 20 characters of the value, and no control characters,
    /// which could affect a terminal.
    /// </summary>
    public static string BackendFault { get; } = DescribeFault(BackendValue);

    /// <summary>
    /// Whether GSO messages are allowed. The values 0, off, false and no of SPATE_GSO switch them off.
    /// </summary>
    public static bool SegmentedSend { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GSO"));

    /// <summary>
    /// Whether coalesced receive is allowed. The values 0, off, false and no of SPATE_GRO switch it off.
    /// </summary>
    public static bool CoalescedReceive { get; } = !IsOff(Environment.GetEnvironmentVariable("SPATE_GRO"));

    /// <summary>
    /// The number of threads that wait for the awaited calls of the process: the value of SPATE_EVENT_THREADS, 1 to 64.
    /// If the variable is not set or has any other value: one thread for every eight CPUs, at least 1 and at most 64.
    /// </summary>
    public static int EventThreadCount { get; } =
        ParseEventThreads(Environment.GetEnvironmentVariable("SPATE_EVENT_THREADS"), Environment.ProcessorCount);

    internal static int ParseEventThreads(string? value, int cpuCount) =>
        int.TryParse(value, NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite,
            CultureInfo.InvariantCulture, out int count) && count is >= 1 and <= MaxEventThreadCount
            ? count
            : Math.Clamp(cpuCount / CpusPerEventThread, 1, MaxEventThreadCount);

    internal static UdpBackend? ParseBackend(string? value) => value?.Trim().ToUpperInvariant() switch
    {
        null or "" or "AUTOMATIC" => UdpBackend.Automatic,
        "PORTABLE" => UdpBackend.Portable,
        "MMSG" => UdpBackend.Mmsg,
        "URING" => UdpBackend.Uring,
        "WINSOCK" => UdpBackend.Winsock,
        "RIO" => UdpBackend.Rio,
        _ => null,
    };

    internal static string DescribeFault(string? value)
    {
        const int maxShownChars = 20;
        IEnumerable<char> shown = (value ?? string.Empty).Take(maxShownChars)
            .Select(static one => char.IsAsciiLetterOrDigit(one) || one is '-' or '_' or '.' ? one : '?');
        return $"SPATE_BACKEND is \"{string.Concat(shown)}\", expected portable, mmsg, uring, winsock, rio or "
            + "automatic: set one of these or unset it.";
    }

    internal static bool IsOff(string? value) => value?.Trim().ToUpperInvariant() is "0" or "OFF" or "FALSE" or "NO";
}
