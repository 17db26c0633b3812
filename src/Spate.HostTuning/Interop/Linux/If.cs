using System.Runtime.InteropServices;

namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/if.h</c>: a request about an interface (netdevice(7)), 40 bytes on 64-bit systems.</summary>
[StructLayout(LayoutKind.Sequential, Size = 40)]
internal struct @ifreq
{
    /// <summary>The first 8 bytes of the name, which ends in a NUL.</summary>
    public ulong NameStart;

    public ulong NameEnd;

    /// <summary>The kernel reads and writes there during the call.</summary>
    public nint ifr_data;
}

/// <summary><c>linux/if.h</c>: names of interfaces.</summary>
internal static class If
{
    /// <summary>With the terminating NUL.</summary>
    public const int IFNAMSIZ = 16;
}
