using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using Spate.Diagnostics;
using Spate.Interop.Linux;
using Spate.Interop.Windows;

namespace Spate.Sockets;

/// <summary>
/// Opens sockets and applies their options. The one place that turns Spate's options into system options.
/// </summary>
internal static partial class SocketSetup
{
    private const int IoControlConnectionReset = unchecked((int)0x9800000C);
    private const int IoControlNetReset = unchecked((int)0x9800000F);

    /// <summary>
    /// IP_DONTFRAGMENT and IPV6_DONTFRAG of Windows (ws2ipdef.h). The levels of both families have Linux's numbers.
    /// </summary>
    internal const int WindowsDontFragment = 14;

    /// <param name="family">The address family.</param>
    /// <param name="options">The options that are set before binding.</param>
    /// <param name="isRegistered">Whether the socket is for Registered I/O (Windows).</param>
    public static Socket Open(AddressFamily family, UdpSocketOptions options, bool isRegistered = false)
    {
        Socket socket = Create(family, isRegistered);
        try
        {
            if (family == AddressFamily.InterNetworkV6) socket.DualMode = options.DualMode;
            ApplyBeforeBind(socket, options);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static Socket Create(AddressFamily family, bool isRegistered)
    {
        try
        {
            return isRegistered
                ? CreateRegistered(family)
                : new Socket(family, SocketType.Dgram, ProtocolType.Udp);
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.TooManyOpenSockets
            && OperatingSystem.IsLinux())
        {
            throw DescriptorLimit.FaultOfSocket();
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfFamily(fault);
        }
    }

    /// <exception cref="SocketException">The system refused; the message has advice.</exception>
    public static void Bind(Socket socket, in UdpEndPoint local)
    {
        try
        {
            socket.Bind(local.ToIPEndPoint());
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfBind(local, fault);
        }
    }

    /// <exception cref="SocketException">The system refused; the message has advice.</exception>
    public static void Connect(Socket socket, in UdpEndPoint peer)
    {
        try
        {
            socket.Connect(peer.ToIPEndPoint());
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfConnect(peer, socket.EnableBroadcast, fault);
        }
    }

    /// <summary>Applies the options that may be set at any time, and therefore also on an adopted socket.</summary>
    public static void Apply(Socket socket, UdpSocketOptions options)
    {
        SetBuffers(socket, options);
        if (OperatingSystem.IsWindows() && !options.ReportPortUnreachable)
        {
            SilenceIcmpErrors(code => socket.IOControl(code, new byte[sizeof(int)], null));
        }

        if (options.EnableBroadcast) socket.EnableBroadcast = true;
        if (options.TimeToLive is { } timeToLive) SetTimeToLive(socket, timeToLive);
        if (options.TrafficClass is { } trafficClass) SetTrafficClass(socket, trafficClass);
        SetFragmentation(socket, options.Fragmentation);
        if (options.EnableTransmitTimes) EnableTransmitTimes(socket);

        // An adopted socket may have an error queue. A call that empties it would take an error from the receives.
        bool endsQueue = options.ReportPortUnreachable && OperatingSystem.IsLinux();
        if (options.ReportIcmpErrors || endsQueue)
        {
            SetBothFamilies(socket, In.IP_RECVERR, In.IPV6_RECVERR, options.ReportIcmpErrors ? 1 : 0);
        }

        EnableMetadata(socket, options.Metadata);
    }

    /// <summary>
    /// Silences ICMP errors on Windows. Otherwise an ICMP error for one peer ends the receive loop for all peers
    /// (WSAECONNRESET, WSAENETRESET). Best effort: not every system that calls itself Windows knows both control codes
    /// (WSAEOPNOTSUPP).
    /// </summary>
    /// <param name="control">Switches off the errors that one control code stands for.</param>
    public static void SilenceIcmpErrors(Action<int> control)
    {
        foreach (int code in (ReadOnlySpan<int>)[IoControlConnectionReset, IoControlNetReset])
        {
            try
            {
                control(code);
            }
            catch (SocketException)
            {
                // The ICMP errors still arrive then; the Portable backend counts them and continues
                // (SocketErrorPolicy).
            }
        }
    }

    /// <summary>
    /// Makes the system return metadata with each received datagram; on a dual-mode IPv6 socket also for IPv4
    /// datagrams.
    /// </summary>
    public static void EnableMetadata(Socket socket, UdpMetadata metadata)
    {
        if (metadata == UdpMetadata.None) return;
        if (OperatingSystem.IsWindows())
        {
            EnableWindowsMetadata(socket, metadata);
            return;
        }

        if (metadata.HasFlag(UdpMetadata.LocalAddress)) SetBothFamilies(socket, In.IP_PKTINFO, In.IPV6_RECVPKTINFO, 1);
        if (metadata.HasFlag(UdpMetadata.TrafficClass)) SetBothFamilies(socket, In.IP_RECVTOS, In.IPV6_RECVTCLASS, 1);
        if (metadata.HasFlag(UdpMetadata.TimeToLive)) SetBothFamilies(socket, In.IP_RECVTTL, In.IPV6_RECVHOPLIMIT, 1);
        if (metadata.HasFlag(UdpMetadata.Timestamp)) Set(socket, SysSocket.SOL_SOCKET, SysSocket.SO_TIMESTAMPNS, 1);
    }

    // An option of Windows has the number of its control message, except for the traffic class. Versions that do not
    // report the whole traffic class report its two bits for ECN.
    private static void EnableWindowsMetadata(Socket socket, UdpMetadata metadata)
    {
        if (metadata.HasFlag(UdpMetadata.LocalAddress))
        {
            SetBothFamilies(socket, Ws2IpDef.IP_PKTINFO, Ws2IpDef.IPV6_PKTINFO, 1);
        }

        if (metadata.HasFlag(UdpMetadata.TimeToLive))
        {
            SetBothFamilies(socket, Ws2IpDef.IP_HOPLIMIT, Ws2IpDef.IPV6_HOPLIMIT, 1);
        }

        if (!metadata.HasFlag(UdpMetadata.TrafficClass)) return;
        try
        {
            SetBothFamilies(socket, Ws2IpDef.IP_RECVTOS, Ws2IpDef.IPV6_RECVTCLASS, 1);
        }
        catch (SocketException)
        {
            SetBothFamilies(socket, Ws2IpDef.IP_RECVECN, Ws2IpDef.IPV6_RECVECN, 1);
        }
    }

    // CLOCK_MONOTONIC is the clock of the packet scheduler fq, and the only clock that needs no capability
    // (net/core/sock.c, SO_TXTIME).
    private static void EnableTransmitTimes(Socket socket)
    {
        sock_txtime wanted = new() { clockid = Time.CLOCK_MONOTONIC };
        Set(socket, SysSocket.SOL_SOCKET, SysSocket.SO_TXTIME, wanted);
    }

    private static void ApplyBeforeBind(Socket socket, UdpSocketOptions options)
    {
        if (OperatingSystem.IsLinux()) DisableMulticastAll(socket);
        if (options.RefusesArrivals) RefuseArrivals(socket);

        // On Linux, SO_REUSEADDR is set by its number, because .NET's ReuseAddress sets SO_REUSEPORT as well, which
        // lets another process take a share of the traffic.
        if (options.ReusePort) SetReusePort(socket);
        if (options.ReuseAddress)
        {
            if (OperatingSystem.IsLinux()) Set(socket, SysSocket.SOL_SOCKET, SysSocket.SO_REUSEADDR, 1);
            else socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, optionValue: true);
        }

        if (options.BindToDevice is { } device) BindToDevice(socket, device);
        if (options.ProcessorIndex is { } processor)
        {
            GiveProcessor(processor, (code, input) => socket.IOControl(code, input, null));
        }
    }

    private static void BindToDevice(Socket socket, string device)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                "Binding to a device is possible on Linux only: leave BindToDevice null.");
        }

        byte[] name = Encoding.UTF8.GetBytes(device + '\0');
        try
        {
            socket.SetRawSocketOption(SysSocket.SOL_SOCKET, SysSocket.SO_BINDTODEVICE, name);
        }
        catch (SocketException fault)
        {
            throw SocketFaults.OfDevice(device, fault);
        }
    }

    // Limits the socket to the groups that it has joined itself. Otherwise a socket bound to the wildcard address
    // receives every group that some socket of the machine has joined (IP_MULTICAST_ALL, ip.7). Best effort, since IPv6
    // has the option only from Linux 4.20 on.
    private static void DisableMulticastAll(Socket socket)
    {
        if (socket.AddressFamily == AddressFamily.InterNetworkV6) TrySet(socket, In.SOL_IPV6, In.IPV6_MULTICAST_ALL, 0);
        if (socket.AddressFamily == AddressFamily.InterNetwork || IsDual(socket))
        {
            TrySet(socket, In.SOL_IP, In.IP_MULTICAST_ALL, 0);
        }
    }

    private static void SetReusePort(Socket socket)
    {
        const int solSocketMac = 0xFFFF, reusePortMac = 0x200;
        if (OperatingSystem.IsLinux()) Set(socket, SysSocket.SOL_SOCKET, SysSocket.SO_REUSEPORT, 1);
        else if (OperatingSystem.IsMacOS()) Set(socket, solSocketMac, reusePortMac, 1);
        else throw new PlatformNotSupportedException("This system has no SO_REUSEPORT: leave ReusePort off.");
    }

    private static void SetTimeToLive(Socket socket, int timeToLive)
    {
        if (timeToLive is < 1 or > 255)
        {
            throw new ArgumentOutOfRangeException(
                nameof(timeToLive), timeToLive, "A TTL must be from 1 to 255.");
        }
        // The property sets the option of the socket's own family.
        socket.Ttl = (short)timeToLive;
        if (!IsDual(socket)) return;
        if (OperatingSystem.IsLinux()) Set(socket, In.SOL_IP, In.IP_TTL, timeToLive);
        else if (OperatingSystem.IsWindows()) TrySet(socket, In.SOL_IP, Ws2IpDef.IP_TTL, timeToLive);
    }

    private static void SetTrafficClass(Socket socket, int trafficClass)
    {
        if (trafficClass is < 0 or > 255)
        {
            throw new ArgumentOutOfRangeException(
                nameof(trafficClass), trafficClass, "A traffic class must be from 0 to 255.");
        }

        if (OperatingSystem.IsLinux()) SetBothFamilies(socket, In.IP_TOS, In.IPV6_TCLASS, trafficClass);
        else if (socket.AddressFamily == AddressFamily.InterNetwork)
        {
            socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.TypeOfService, trafficClass);
        }
        else throw new PlatformNotSupportedException("The traffic class of an IPv6 socket can be set on Linux only.");
    }

    private static void SetFragmentation(Socket socket, UdpFragmentation fragmentation)
    {
        if (fragmentation == UdpFragmentation.Allowed) return;
        if (OperatingSystem.IsLinux())
        {
            int mode = fragmentation == UdpFragmentation.Probe ? In.IP_PMTUDISC_PROBE : In.IP_PMTUDISC_DO;
            SetBothFamilies(socket, In.IP_MTU_DISCOVER, In.IPV6_MTU_DISCOVER, mode);
        }
        else if (fragmentation == UdpFragmentation.DontFragment) SetDontFragment(socket);
        else throw new PlatformNotSupportedException("Path MTU probing is possible on Linux only: use DontFragment.");
    }

    // On Windows, Socket.DontFragment sets the option of IPv4 alone, also on an IPv6 socket, whose datagrams are then
    // fragmented all the same.
    private static void SetDontFragment(Socket socket)
    {
        if (OperatingSystem.IsWindows()) SetBothFamilies(socket, WindowsDontFragment, WindowsDontFragment, 1);
        else socket.DontFragment = true;
    }

    /// <summary>
    /// Sets an option for each address family that the socket supports. A dual-mode IPv6 socket has the options of both
    /// families: the IPv4 option applies only to IPv4 datagrams, and the IPv6 option only to IPv6 datagrams.
    /// </summary>
    private static void SetBothFamilies(Socket socket, int nameV4, int nameV6, int value)
    {
        if (socket.AddressFamily == AddressFamily.InterNetworkV6) Set(socket, In.SOL_IPV6, nameV6, value);
        if (socket.AddressFamily == AddressFamily.InterNetwork || IsDual(socket)) Set(socket, In.SOL_IP, nameV4, value);
    }

    private static bool IsDual(Socket socket) =>
        socket.AddressFamily == AddressFamily.InterNetworkV6 && socket.DualMode;

    public static void Set<T>(Socket socket, int level, int name, in T value)
        where T : unmanaged =>
        socket.SetRawSocketOption(level, name, MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));

    private static bool TrySet(Socket socket, int level, int name, int value)
    {
        try
        {
            Set(socket, level, name, value);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
