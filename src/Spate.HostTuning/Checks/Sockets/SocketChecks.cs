namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The checks of sockets and their memory.</summary>
internal static class SocketChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new BufferLimitCheck(isReceive: true),
        new BufferLimitCheck(isReceive: false),
    ];
}
