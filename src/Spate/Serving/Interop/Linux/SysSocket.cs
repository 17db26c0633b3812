namespace Spate.Serving.Interop.Linux;

/// <summary><c>sys/socket.h</c>: the options by which a server chooses what its sockets get.</summary>
internal static class SysSocket
{
    public const int SOL_SOCKET = 1;
    public const int SO_ATTACH_FILTER = 26;

    /// <summary>Since Linux 3.19.</summary>
    public const int SO_INCOMING_CPU = 49;

    /// <summary>Since Linux 4.5.</summary>
    public const int SO_ATTACH_REUSEPORT_CBPF = 51;

    /// <summary>Since Linux 5.1.</summary>
    public const int SO_BINDTOIFINDEX = 62;
}
