using System.Net;
using System.Net.Sockets;

namespace Spate.Tests;

/// <summary>Addresses of 127.0.0.0/8 for tests that bind the same port again and again.</summary>
internal static class OwnAddress
{
    private const int FirstPort = 10_000;
    private const int PortCount = 20_000;

    private static int _lastNumber;

    /// <summary>
    /// An address and port that only this test uses: the number of the call makes the address, and that of the process
    /// the port. On 127.0.0.1 the kernel might give the port to another socket as soon as it is free. It might give it
    /// to one at any address, too, so the port is below those that it gives (ip_local_port_range, ip(7)).
    /// </summary>
    public static UdpEndPoint New()
    {
        while (true)
        {
            int number = Interlocked.Increment(ref _lastNumber);
            byte[] address = [127, (byte)(100 + (number >> 16)), (byte)(number >> 8), (byte)number];
            UdpEndPoint own = new(new IPAddress(address), FirstPort + ((Environment.ProcessId + number) % PortCount));
            using Socket free = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            try
            {
                free.Bind(own.ToIPEndPoint());
                return own;
            }
            catch (SocketException fault) when (fault.SocketErrorCode == SocketError.AddressAlreadyInUse)
            {
                // A service of this machine has the port.
            }
        }
    }
}
