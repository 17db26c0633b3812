using System.Buffers.Binary;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Sockets;

/// <summary>Filter programs and options that decide which datagrams a socket receives.</summary>
internal static partial class SocketSetup
{
    /// <summary>
    /// Makes the kernel choose a port that no other socket has. Called before a socket with SO_REUSEPORT is bound to
    /// port 0. Without this method, the kernel may choose the port of an existing group of the same user and make the
    /// socket a member of that group. This method attaches a program: a socket with a program already has a group of
    /// its own, so the kernel does not put it into another group (udp_lib_lport_inuse, Linux 4.5). The program returns
    /// an index that no member of the group has, so the kernel still chooses the member for each datagram. Best effort.
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
            // The system does not support such programs. Even without a program, the kernel most probably chooses a
            // free port.
        }
    }

    /// <summary>
    /// Removes the program of <see cref="BindOutsideReuseportGroup"/> after the socket was bound. Before Linux 5.3 the
    /// program cannot be removed and stays.
    /// </summary>
    public static void EndKeepingOut(Socket socket)
    {
        if (OperatingSystem.IsLinux()) TrySet(socket, SysSocket.SOL_SOCKET, SysSocket.SO_DETACH_REUSEPORT_BPF, 0);
    }

    /// <summary>
    /// Attaches a program that chooses, for every datagram to this socket's SO_REUSEPORT group, the socket that
    /// receives it. The program replaces an earlier program of the group.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void SteerGroup(Socket socket, ReadOnlySpan<sock_filter> program) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_REUSEPORT_CBPF, program);

    /// <summary>
    /// Makes the kernel prefer this socket for datagrams that the given CPU received, if no program chooses the socket.
    /// Best effort.
    /// </summary>
    public static void PreferCpu(Socket socket, int cpuIndex) =>
        TrySet(socket, SysSocket.SOL_SOCKET, SysSocket.SO_INCOMING_CPU, cpuIndex);

    /// <summary>
    /// Binds the socket to an interface that cannot exist, so that no datagram arrives any more. Best effort.
    /// </summary>
    public static void Hide(Socket socket) =>
        TrySet(socket, SysSocket.SOL_SOCKET, SysSocket.SO_BINDTOIFINDEX, int.MaxValue);

    /// <summary>
    /// Makes the kernel refuse all further datagrams, by a program that accepts no byte of any datagram
    /// (SO_ATTACH_FILTER). Datagrams that are already queued stay. The kernel counts the refused datagrams as dropped.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void RefuseArrivals(Socket socket) =>
        AttachProgram(socket, SysSocket.SO_ATTACH_FILTER, [new(Filter.BPF_RET | Filter.BPF_K, 0, 0, 0)]);

    /// <summary>
    /// Makes the kernel refuse datagrams of all peers but one, as <see cref="RefuseArrivals"/> does for all. Returns
    /// false if the system refuses such a program.
    /// </summary>
    public static bool TryAdmitOnly(Socket socket, in UdpEndPoint peer)
    {
        // The source address is in IP's header (RFC 791, RFC 8200). The source port is at offset 0, as the program of a
        // UDP socket gets a datagram from UDP's header on (net/ipv4/udp.c, udp_queue_rcv_one_skb).
        int sourceOffset = peer.IsIPv4 ? 12 : 8;
        Span<byte> address = stackalloc byte[UdpAddress.BytesOfIPv6];
        peer.Address.TryWriteBytes(address, out int addressBytes);
        int refusal = (2 * ((addressBytes / sizeof(uint)) + 1)) + 1;
        List<sock_filter> program = [];
        for (int i = 0; i < addressBytes; i += sizeof(uint))
        {
            Require(Filter.BPF_W, Filter.SKF_NET_OFF + sourceOffset + i,
                BinaryPrimitives.ReadUInt32BigEndian(address[i..]));
        }

        Require(Filter.BPF_H, 0, (uint)peer.Port);
        program.Add(new(Filter.BPF_RET | Filter.BPF_K, 0, 0, uint.MaxValue));
        program.Add(new(Filter.BPF_RET | Filter.BPF_K, 0, 0, 0));
        try
        {
            AttachProgram(socket, SysSocket.SO_ATTACH_FILTER, CollectionsMarshal.AsSpan(program));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }

        void Require(ushort size, int offset, uint value)
        {
            program.Add(new((ushort)(Filter.BPF_LD | size | Filter.BPF_ABS), 0, 0, unchecked((uint)offset)));
            program.Add(new(
                Filter.BPF_JMP | Filter.BPF_JEQ | Filter.BPF_K, 0, (byte)(refusal - program.Count - 1), value));
        }
    }

    /// <summary>
    /// Lets datagrams arrive again after <see cref="RefuseArrivals"/> or <see cref="TryAdmitOnly"/>.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    public static void AdmitArrivals(Socket socket) =>
        Set(socket, SysSocket.SOL_SOCKET, SysSocket.SO_DETACH_FILTER, 0);

    private static unsafe void AttachProgram(Socket socket, int name, ReadOnlySpan<sock_filter> instructions)
    {
        // SAFETY: the instructions do not move during the call, in which the kernel copies them.
        fixed (sock_filter* first = instructions)
        {
            sock_fprog program = new() { len = (ushort)instructions.Length, filter = first };
            Set(socket, SysSocket.SOL_SOCKET, name, program);
        }
    }
}
