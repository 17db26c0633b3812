using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>What chooses the datagrams that a socket gets: filter programs and options beside them.</summary>
internal static partial class SocketSetup
{
    /// <summary>
    /// Before a socket with SO_REUSEPORT is bound to port 0: has the kernel choose a port at which no other socket is,
    /// where otherwise it may choose one of a group of the same user and make the socket a member. A socket that has a
    /// program has a group of its own already, and is no candidate for another (udp_lib_lport_inuse, Linux 4.5). The
    /// program itself names no member, so the kernel's own choice stands. Best effort.
    /// </summary>
    public static void BindOutsideReuseportGroup(Socket socket)
    {
        if (!OperatingSystem.IsLinux()) return;
        try
        {
            AttachProgram(
                socket, SysSocket.SO_ATTACH_REUSEPORT_CBPF, [new(Filter.BPF_RET | Filter.BPF_K, 0, 0, uint.MaxValue)]);
        }
        catch (SocketException)
        {
            // A system without such programs; the port is most probably a free one all the same.
        }
    }

    /// <summary>After the socket was bound: the program has done its part (Linux 5.3, otherwise it stays).</summary>
    public static void EndKeepingOut(Socket socket)
    {
        if (OperatingSystem.IsLinux()) TrySetInt(socket, SysSocket.SOL_SOCKET, SysSocket.SO_DETACH_REUSEPORT_BPF, 0);
    }

    /// <summary>
    /// Lets a program choose the socket of every datagram to this socket's port group. It replaces an earlier program.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void SteerGroup(Socket socket, ReadOnlySpan<sock_filter> program) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_REUSEPORT_CBPF, program);

    /// <summary>Prefers this socket for datagrams that a CPU received, if no program chooses. Best effort.</summary>
    public static void PreferCpu(Socket socket, int cpuIndex) =>
        TrySetInt(socket, SysSocket.SOL_SOCKET, SysSocket.SO_INCOMING_CPU, cpuIndex);

    /// <summary>Binds the socket to an interface that cannot exist, so that nothing arrives. Best effort.</summary>
    public static void Hide(Socket socket) =>
        TrySetInt(socket, SysSocket.SOL_SOCKET, SysSocket.SO_BINDTOIFINDEX, int.MaxValue);

    /// <summary>
    /// Lets nothing more in, by a program that takes no byte of any datagram (SO_ATTACH_FILTER); what is queued stays.
    /// The kernel counts what it turns away as dropped.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void RefuseArrivals(Socket socket) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_FILTER, [new(Filter.BPF_RET | Filter.BPF_K, 0, 0, 0)]);

    /// <summary>Lets in again what <see cref="RefuseArrivals"/> turned away.</summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void AdmitArrivals(Socket socket) =>
        SetInt(socket, SysSocket.SOL_SOCKET, SysSocket.SO_DETACH_FILTER, 0);

    private static unsafe void AttachProgram(Socket socket, int name, ReadOnlySpan<sock_filter> instructions)
    {
        // SAFETY: the instructions do not move during the call, in which the kernel copies them.
        fixed (sock_filter* first = instructions)
        {
            sock_fprog program = new() { len = (ushort)instructions.Length, filter = first };
            socket.SetRawSocketOption(
                SysSocket.SOL_SOCKET, name, MemoryMarshal.AsBytes(new ReadOnlySpan<sock_fprog>(in program)));
        }
    }
}
