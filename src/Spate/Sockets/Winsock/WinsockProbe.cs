namespace Spate.Sockets.Winsock;

/// <summary>Tries the backend Winsock over loopback.</summary>
internal static partial class WinsockProbe
{
    public static string? RoundTrip(out string seen) => throw new PlatformNotSupportedException("not built yet");

    public static string? Metadata(out string seen) => throw new PlatformNotSupportedException("not built yet");
}
