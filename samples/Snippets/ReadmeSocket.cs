using System.Net;
using System.Net.Sockets;

namespace Snippets;

internal static class ReadmeSocket
{
    public static void Run()
    {
        // docs: loop
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Any, 9999));
        byte[] buffer = new byte[65_535];
        EndPoint peer = new IPEndPoint(IPAddress.Any, 0);
        while (true)
        {
            int length = socket.ReceiveFrom(buffer, ref peer);      // one call and one new object per datagram
            Console.WriteLine($"{peer}: {length} bytes");
        }
        // end
    }
}
