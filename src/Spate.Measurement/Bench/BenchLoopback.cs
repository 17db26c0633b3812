using System.Net;
using System.Net.Sockets;

namespace Spate.Measurement.Bench;

/// <summary>Every bench measures over the loopback interface: without it none has anything to measure.</summary>
internal static class BenchLoopback
{
    private const string FewDescriptors =
        "The process may have too few open files for a bench: allow it 1024, with ulimit -n 1024";

    private const int PatienceMilliseconds = 3000;

    /// <summary>Sends one datagram to itself and waits for it.</summary>
    /// <exception cref="BenchException">It did not come, or no socket could be opened.</exception>
    public static void Require()
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                ReceiveTimeout = PatienceMilliseconds,
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
                $"No datagram comes through the loopback interface ({BenchText.OneLine(e.Message)}): bring it up, on "
                + "Linux with: ip link set lo up",
                e);
        }
    }
}
