using System.Buffers.Binary;
using System.Net.Sockets;
using Spate.Cli.Bench.Relay;

namespace Spate.Tests.Cli.Bench.Relay;

public sealed class RelaySinkTests
{
    [Fact]
    public void Sink_NumbersThatFallBack_AreCountedAsReordered()
    {
        using var sink = new RelaySink(cpu: null);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[16];
        foreach (ulong sequence in (ulong[])[0, 1, 3, 2, 4, 4, 5])
        {
            BinaryPrimitives.WriteUInt64LittleEndian(payload, sequence);
            socket.SendTo(payload, sink.LocalEndPoint);
        }

        Wait.Until(() => sink.Received == 7);
        sink.Stop();

        Assert.Equal(2, sink.Reordered);
    }
}
