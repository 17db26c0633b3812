namespace Spate.Sockets.Rio;

/// <summary>Tries the backend Rio over loopback.</summary>
internal static class RioProbe
{
    public static string? RoundTrip(out string seen) => throw new PlatformNotSupportedException("not built yet");
}
