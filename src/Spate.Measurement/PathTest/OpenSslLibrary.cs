using System.Runtime.InteropServices;

namespace Spate.Measurement.PathTest;

/// <summary>Tells before .NET does, which ends the process, that OpenSSL's library is missing.</summary>
internal static class OpenSslLibrary
{
    // As .NET looks for it (opensslshim.c): the version of the variable first, then the known ones.
    private static readonly string[] Versions = ["3", "1.1", "1.0.2", "1.0.0", "10"];

    /// <exception cref="PlatformNotSupportedException">It is missing; the message says what to do.</exception>
    public static void Require(string purpose)
    {
        if (!OperatingSystem.IsLinux()) return;

        string? wanted = Environment.GetEnvironmentVariable("CLR_OPENSSL_VERSION_OVERRIDE");
        IEnumerable<string> versions = string.IsNullOrEmpty(wanted) ? Versions : [wanted, .. Versions];
        foreach (string version in versions)
        {
            if (NativeLibrary.TryLoad($"libssl.so.{version}", out _)) return;
        }

        throw new PlatformNotSupportedException(
            $"{purpose} needs the library of OpenSSL, libssl.so.3, which is not here: install it (package libssl3), or "
            + "leave the key away at both ends");
    }
}
