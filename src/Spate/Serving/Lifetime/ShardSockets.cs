using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>How the sockets of several shards share a port.</summary>
internal enum ShardSockets
{
    /// <summary>They cannot, so there is one shard.</summary>
    None,

    /// <summary>SO_REUSEPORT: the kernel or a program chooses the socket of a datagram.</summary>
    ReusePort,

    /// <summary>
    /// SIO_CPU_AFFINITY: the processor that takes a datagram from the card chooses the socket, so a peer may come to
    /// another shard. Has never run on Windows; Wine 8 refuses the control code.
    /// </summary>
    Processors,
}

/// <summary>Chooses between them.</summary>
internal static class ShardSocketsChoice
{
    /// <summary>How shards with these options share a port on this system.</summary>
    /// <exception cref="PlatformNotSupportedException">The backend or an option is unavailable.</exception>
    public static ShardSockets Of(UdpSocketOptions options)
    {
        if (OperatingSystem.IsLinux() || OperatingSystem.IsMacOS()) return ShardSockets.ReusePort;
        if (!OperatingSystem.IsWindows()) return ShardSockets.None;

        return BackendSelector.Choose(options) is UdpBackend.Winsock or UdpBackend.Rio
            && SocketSetup.HasProcessorSockets
                ? ShardSockets.Processors
                : ShardSockets.None;
    }
}
