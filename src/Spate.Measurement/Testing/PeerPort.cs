namespace Spate.Measurement.Testing;

/// <summary>
/// The options of sockets that share one port: a listening one, and one for each peer that is connected to it.
/// </summary>
internal static class PeerPort
{
    /// <summary>The same options for a socket that shares its port.</summary>
    public static UdpSocketOptions Of(UdpSocketOptions options) => Of(options, OperatingSystem.IsWindows());

    // Windows has no SO_REUSEPORT. There SO_REUSEADDR lets sockets share a port, and a datagram goes to the connected
    // socket of its peer before another one. It spreads nothing over sockets that are not connected.
    internal static UdpSocketOptions Of(UdpSocketOptions options, bool isWindows) => isWindows
        ? options with { ReuseAddress = true }
        : options with { ReusePort = true };

    /// <summary>
    /// Throws if a socket of another run has the port, with which the sockets of this one would share it.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">The port is busy.</exception>
    public static void RequireFree(UdpEndPoint local, UdpSocketOptions options) =>
        UdpSocket.RequireFreePort(local, options with { ReuseAddress = false });
}
