// docs: program
using Spate;
// end

namespace Snippets;

internal static class ReadmeReceive
{
    public static void Run()
    {
        // docs: program
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Any(9999));
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        while (socket.Receive(batch) == ReceiveStatus.Received)     // one call, many datagrams
        {
            foreach (Datagram datagram in batch)                    // no copy: valid until the next Receive
            {
                Console.WriteLine($"{datagram.Peer}: {datagram.Payload.Length} bytes");
            }
        }
        // end
    }
}
