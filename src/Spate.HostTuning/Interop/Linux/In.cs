namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>netinet/in.h</c>: options of sockets (ip(7), ipv6(7)).</summary>
internal static class In
{
    public const int IPPROTO_IP = 0;
    public const int IPPROTO_IPV6 = 41;

    public const int IP_TOS = 1;
    public const int IP_MTU_DISCOVER = 10;
    public const int IP_RECVTOS = 13;
    public const int IP_MTU = 14;
    public const int IP_RECVFRAGSIZE = 25;

    public const int IPV6_MTU_DISCOVER = 23;
    public const int IPV6_MTU = 24;
    public const int IPV6_DONTFRAG = 62;
    public const int IPV6_RECVTCLASS = 66;
    public const int IPV6_TCLASS = 67;
    public const int IPV6_RECVFRAGSIZE = 77;

    /// <summary>Never fragment, and ignore what is known of the path: for probes.</summary>
    public const int IP_PMTUDISC_PROBE = 3;
}
