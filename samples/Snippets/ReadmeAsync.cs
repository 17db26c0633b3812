// docs: program
using Spate;
// end

namespace Snippets;

internal static class ReadmeAsync
{
    public static async Task RunAsync()
    {
        // docs: program
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(9999));
        byte[] buffer = new byte[65_535];
        while (true)
        {
            ReceivedDatagram request = await socket.ReceiveFromAsync(buffer);        // no allocation, peer by value
            await socket.SendToAsync(buffer.AsMemory(0, request.Length), request.Peer);
        }
        // end
    }
}
