using System.Collections.Concurrent;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Spate.CliTests.Iperf3.Runs;

/// <summary>Ports for servers, each given out once.</summary>
internal static class Iperf3Port
{
    // Below the range from which the system takes the ports of clients, so that none of them is taken meanwhile.
    private const int First = 10_000;
    private const int End = 30_000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly ConcurrentDictionary<int, bool> Taken = new();

    /// <summary>A port that is free for TCP and UDP.</summary>
    public static int Take()
    {
        while (true)
        {
            int port = Random.Shared.Next(First, End);
            if (Taken.TryAdd(port, true) && IsFree(port)) return port;
        }
    }

    /// <summary>Waits until a server listens at a port: a connection to find out would be a client to it.</summary>
    /// <param name="port">The port.</param>
    /// <param name="server">Ends when the server does.</param>
    public static void WaitForServer(int port, Task server) => Assert.True(
        SpinWait.SpinUntil(() => IsListening(port) || server.IsCompleted, Patience), "The server does not listen.");

    // The system tells in a list of all connections, which is long where many tests have run. Outside of Windows, a
    // socket that may share its address, as that of servers may, cannot be bound to it only where one listens.
    private static bool IsListening(int port)
    {
        if (OperatingSystem.IsWindows())
        {
            return IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpListeners()
                .Any(listener => listener.Port == port);
        }

        using var socket = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
        socket.DualMode = true;
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.IPv6Any, port));
            return false;
        }
        catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            return true;
        }
    }

    private static bool IsFree(int port)
    {
        try
        {
            using var tcp = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
            tcp.DualMode = true;
            tcp.Bind(new IPEndPoint(IPAddress.IPv6Any, port));
            using var udp = new Socket(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp);
            udp.DualMode = true;
            udp.Bind(new IPEndPoint(IPAddress.IPv6Any, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
