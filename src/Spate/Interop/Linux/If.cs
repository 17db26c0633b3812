using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>net/if.h</c>: the names of interfaces.</summary>
internal static partial class If
{
    /// <summary>Bytes of an interface's name, its end included.</summary>
    public const int IFNAMSIZ = 16;

    /// <summary>0 if there is no interface of that name, which ends with a zero byte.</summary>
    [LibraryImport("libc", SetLastError = true)]
    internal static partial uint if_nametoindex(ReadOnlySpan<byte> ifname);
}
