namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The checks of sockets and their memory.</summary>
internal static class SocketChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new BufferLimitCheck(isReceive: true),
        new SocketDropsCheck(),
        new DefaultBufferCheck(),
        new SendBufferCheck(),
        new BufferLimitCheck(isReceive: false),
        new GrantedBufferCheck(),
        new UdpMemoryCheck(),
        new OptionMemoryCheck(),
        new MemoryPressureCheck(),
        new TcpBufferCheck(),
        new FastPathCheck(),
    ];
}
