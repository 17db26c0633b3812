using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/if.h</c>: a request about an interface (netdevice(7)), 40 bytes on 64-bit systems.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @ifreq
{
    /// <summary>The first 8 bytes of the name, which ends in a NUL.</summary>
    public ulong NameStart;

    /// <summary>The last 8 bytes of the name.</summary>
    public ulong NameEnd;

    /// <summary>What the request points at; the kernel reads and writes there during the call.</summary>
    public nint ifr_data;
}

/// <summary><c>linux/if.h</c>: names of interfaces.</summary>
internal static class If
{
    /// <summary>Bytes of a name with its terminating NUL.</summary>
    public const int IFNAMSIZ = 16;
}
