using System.Runtime.InteropServices;

namespace Spate.Interop.Linux;

/// <summary><c>linux/net_tstamp.h</c>: the value of SO_TXTIME, 8 bytes.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct @sock_txtime
{
    public int clockid;
    public uint flags;
}
