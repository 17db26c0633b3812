using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>Filter programs and options that choose the datagrams of a socket.</summary>
internal static partial class SocketSetup
{
    /// <summary>
    /// Called before a socket with SO_REUSEPORT is bound to port 0: makes the kernel choose a port that no other socket
    /// has. Otherwise the kernel may choose the port of a group of the same user and make the socket a member of that
    /// group. A socket with a program already has a group of its own and is not a candidate for another
    /// (udp_lib_lport_inuse, Linux 4.5). The program itself names no member, so the kernel's own choice of a member
    /// remains. Best effort.
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
            // The system has no such programs; the port is most probably free anyway.
        }
    }

    /// <summary>
    /// Called after the socket was bound: removes the program, which has done its part (Linux 5.3, otherwise it stays).
    /// </summary>
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
    /// Admits no more datagrams, by a program that accepts no byte of any datagram (SO_ATTACH_FILTER); queued datagrams
    /// stay. The kernel counts the refused datagrams as dropped.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void RefuseArrivals(Socket socket) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_FILTER, [new(Filter.BPF_RET | Filter.BPF_K, 0, 0, 0)]);

    /// <summary>Admits arrivals again after <see cref="RefuseArrivals"/>.</summary>
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
