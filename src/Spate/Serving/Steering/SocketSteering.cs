using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Serving.Steering;

/// <summary>The options of a socket by which a server chooses what arrives there (socket.7). Linux.</summary>
internal static class SocketSteering
{
    /// <summary>
    /// Lets a program choose the socket of every datagram to this socket's port group. It replaces an earlier program.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void Attach(UdpSocket socket, ReadOnlySpan<sock_filter> program) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_REUSEPORT_CBPF, program);

    /// <summary>
    /// Stops arrivals by a filter that accepts no byte of any datagram. Queued datagrams stay. The kernel counts those
    /// that the filter refuses as dropped.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void RefuseArrivals(UdpSocket socket) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_FILTER, [new(Filter.BPF_RET | Filter.BPF_K, 0, 0, 0)]);

    /// <summary>Prefers this socket for datagrams that a CPU received, if no program chooses. Best effort.</summary>
    public static void PreferCpu(UdpSocket socket, int cpuIndex) =>
        TrySet(socket, SysSocket.SO_INCOMING_CPU, cpuIndex);

    /// <summary>Binds the socket to an interface that cannot exist, so that nothing arrives. Best effort.</summary>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    public static void Hide(UdpSocket socket) => TrySet(socket, SysSocket.SO_BINDTOIFINDEX, int.MaxValue);

    private static void AttachProgram(UdpSocket socket, int name, ReadOnlySpan<sock_filter> program)
    {
        // The kernel copies the program during the call, so the array is pinned and kept alive until then.
        sock_filter[] instructions = GC.AllocateUninitializedArray<sock_filter>(program.Length, pinned: true);
        program.CopyTo(instructions);
        sock_fprog argument = new()
        {
            len = (ushort)program.Length,
            filter = Marshal.UnsafeAddrOfPinnedArrayElement(instructions, 0),
        };
        socket.SetRawOption(
            SysSocket.SOL_SOCKET, name, MemoryMarshal.AsBytes(new ReadOnlySpan<sock_fprog>(in argument)));
        GC.KeepAlive(instructions);
    }

    private static void TrySet(UdpSocket socket, int name, int value)
    {
        try
        {
            socket.SetRawOption(
                SysSocket.SOL_SOCKET, name, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(in value)));
        }
        catch (SocketException)
        {
            // A kernel that is older than the option. The server works without it.
        }
    }
}
