namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/sock_diag.h</c>: the request for sockets, and indexes into the words about their memory.</summary>
internal static class SockDiag
{
    public const int SOCK_DIAG_BY_FAMILY = 20;

    public const int SK_MEMINFO_RCVBUF = 1;
    public const int SK_MEMINFO_SNDBUF = 3;
    public const int SK_MEMINFO_DROPS = 8;
}
