using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>linux/net_tstamp.h</c>: what SO_TXTIME is set to, 8 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @sock_txtime
{
    public int clockid;
    public uint flags;
}
