using System.Net;
using System.Net.Sockets;

namespace Spate.Tests;

/// <summary>Addresses of 127.0.0.0/8 for tests that bind the same port again and again.</summary>
internal static class OwnAddress
{
    /// <summary>
    /// An address and port that only this test uses and that nobody has now. On 127.0.0.1 the kernel might give the
    /// port to another socket as soon as it is free. It might give it to one at any address, too, so the port is below
    /// those that it gives (ip_local_port_range, ip(7)).
    /// </summary>
    public static UdpEndPoint New()
    {
        while (true)
        {
            byte[] address = [127, (byte)Random.Shared.Next(100, 200), (byte)Random.Shared.Next(1, 255), 9];
            UdpEndPoint own = new(new IPAddress(address), Random.Shared.Next(10_000, 32_000));
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
