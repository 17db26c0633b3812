using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>Checks the loopback interface, over which every bench measures.</summary>
internal static class BenchLoopback
{
    private const int MaxWaitMilliseconds = 1000;

    private static readonly string FewDescriptors =
        "The process may have too few open files for a bench"
        + (OperatingSystem.IsWindows() ? "" : ": allow it 1024, with ulimit -n 1024");

    /// <summary>Sends a datagram from a socket to itself, and throws if it does not arrive.</summary>
    public static void Require()
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                ReceiveTimeout = MaxWaitMilliseconds,
            };
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            _ = socket.SendTo(new byte[1], socket.LocalEndPoint!);
            _ = socket.Receive(new byte[1]);
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.TooManyOpenSockets)
        {
            throw new BenchException(FewDescriptors, e);
        }
        catch (SocketException e)
        {
            throw new BenchException(
                $"No datagram comes through the loopback interface ({PrintableText.OneLine(e.Message)}): "
                + (OperatingSystem.IsLinux() ? "bring it up with: ip link set lo up" : "a firewall may drop them"),
                e);
        }
    }
}
