using Spate;

namespace Snippets;

/// <summary>The code of docs/start/from-socket.md.</summary>
internal static class FromSocket
{
    public static async Task<long> LoopAsync(UdpSocket socket, CancellationToken token)
    {
        // docs: loop
        byte[] buffer = new byte[65_527];
        long count = 0;
        try
        {
            while (true)
            {
                ReceivedDatagram request = await socket.ReceiveFromAsync(buffer, token);
                SendResult result = await socket.SendToAsync(buffer.AsMemory(0, request.Length), request.Peer, token);
                count += result.Sent;
            }
        }
        catch (OperationCanceledException)
        {
            return count;
        }
        // end
    }
}
