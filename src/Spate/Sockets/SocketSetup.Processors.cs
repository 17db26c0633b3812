using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Spate.Sockets;

/// <summary>Sockets that share a port on Windows, each with the datagrams of one processor.</summary>
internal static partial class SocketSetup
{
    /// <summary>
    /// SIO_CPU_AFFINITY: the socket gets the datagrams that one processor takes from the card. Sockets of different
    /// processors can be bound to one port. None of them has SO_REUSEADDR.
    /// </summary>
    internal const int IoControlCpuAffinity = unchecked((int)0x98000015);

    private static readonly Lazy<bool> ProcessorSockets = new(static () => ProbeProcessorSockets(OpenForProcessor));

    /// <summary>Whether sockets can share a port on this system, one for each processor.</summary>
    public static bool HasProcessorSockets =>
        OperatingSystem.IsWindows() && Environment.ProcessorCount > 1 && ProcessorSockets.Value;

    /// <summary>Gives a socket the datagrams of one processor. Called before the socket is bound.</summary>
    /// <param name="processor">The index of the processor, which is a USHORT to Windows.</param>
    /// <param name="control">Passes a control code and its input to the socket.</param>
    /// <exception cref="SocketException">The system does not know the code, or has no such processor.</exception>
    internal static void GiveProcessor(int processor, Action<int, byte[]> control)
    {
        byte[] index = new byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16LittleEndian(index, checked((ushort)processor));
        control(IoControlCpuAffinity, index);
    }

    /// <summary>Tries to bind the sockets of two processors to one port of the loopback interface.</summary>
    /// <param name="open">Opens a socket that has the processor of this index and is not bound.</param>
    internal static bool ProbeProcessorSockets(Func<int, Socket> open)
    {
        try
        {
            using Socket first = open(0);
            first.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            using Socket second = open(1);
            second.Bind(first.LocalEndPoint!);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static Socket OpenForProcessor(int processor) =>
        Open(AddressFamily.InterNetwork, new UdpSocketOptions { ProcessorIndex = processor });
}
