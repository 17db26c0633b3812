using System.Runtime.InteropServices;

namespace Spate.TestHelpers.Runs;

/// <summary>
/// The gaps of Wine for which tests are skipped. Each has a program in C in tests/Wine that asks Wine for the missing
/// thing; test.sh --windows runs all of them, and fails once Wine has one.
/// </summary>
internal static class Wine
{
    private static readonly Dictionary<string, string> Lacks = new(StringComparer.Ordinal)
    {
        ["foreign-address"] = "it binds a socket to an address that the machine does not have",
        ["group-interface-index"] = "an IPv4 group has no interface by its index",
        ["icmp-errors-connected"] = "no ICMP error ends a wait on a connected socket",
        ["loopback-addresses"] = "of 127.0.0.0/8, sockets have 127.0.0.1 alone",
        ["send-control"] = "WSASendMsg ignores its control messages",
        ["receive-after-icmp"] = "after an ICMP error, a connected socket wakes no receive",
    };

    /// <summary>The questions by which tests are skipped.</summary>
    public static IReadOnlyCollection<string> Questions => Lacks.Keys;

    public static bool IsHere { get; } = OperatingSystem.IsWindows()
        && NativeLibrary.TryGetExport(NativeLibrary.Load("ntdll.dll"), "wine_get_version", out _);

    /// <summary>Skips the test under Wine.</summary>
    /// <param name="question">The name of the program, without its ending.</param>
    public static void SkipFor(string question) =>
        Assert.SkipWhen(IsHere, $"Wine: {question}: {Lacks[question]}");
}
