// docs: program
using System.Buffers.Binary;
using Spate;
// end

namespace Snippets;

internal static class ReadmeSend
{
    public static void Run()
    {
        // docs: program
        using UdpSocket socket = UdpSocket.Connect(UdpEndPoint.Loopback(9999));
        using SendBatch batch = socket.CreateSendBatch();
        for (long number = 0; batch.TryReserve(64, out Span<byte> payload); number++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(payload, number);   // written where it is sent from
        }
        SendResult result = socket.Send(batch);
        Console.WriteLine($"{result.Sent} sent, {result.Refused} refused");
        // end
    }
}
