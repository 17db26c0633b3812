using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Serving.Shards;

/// <summary>Datagrams longer than a frame of Ethernet, through servers with default options.</summary>
public sealed class ServerLongDatagramTests
{
    private static readonly int[] LengthsBytes = [2048, 2049, 4000, 9000, 65_507, 1];

    private static readonly bool[] CoalescedOrNot = [false, true];

    /// <summary>Every design on every backend that is here, coalescing or not.</summary>
    public static TheoryData<ServerCase> Cases => [.. AllCases()];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Echo_LongDatagrams_ComeBackWhole(ServerCase @case)
    {
        await using UdpServer server = UdpServer.Start(@case.Options, TestHandler.Echo);

        AssertEchoes(server);
        Assert.Equal(0, server.GetStatistics().Sockets.DatagramsTruncated);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public async Task Channel_LongDatagrams_ReachTheReaderWhole(bool copies, bool coalesced)
    {
        UdpChannelHandler? handler = null;
        await using UdpServer server = UdpServer.Start(
            new ServerCase(UdpServerDesign.Sharded, 1, UdpBackend.Automatic, coalesced).Options,
            shard => handler = new UdpChannelHandler(shard, new UdpChannelHandlerOptions { CopyPayloads = copies }));
        Task replying = Task.Run(ReplyAsync, ServerCase.Cancellation);

        AssertEchoes(server);
        await server.StopAsync(ServerCase.Patience, ServerCase.Cancellation);
        await replying;

        async Task ReplyAsync()
        {
            await foreach (UdpChannelDatagram datagram in handler!.Reader.ReadAllAsync(ServerCase.Cancellation))
            {
                using (datagram) datagram.TryReply(datagram.Payload.Span);
            }
        }
    }

    // Twice each, since a slot that had a long datagram is not what it was.
    private static void AssertEchoes(UdpServer server)
    {
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        byte[] buffer = new byte[65_535];
        foreach (int lengthBytes in LengthsBytes.Concat(LengthsBytes))
        {
            byte[] payload = new byte[lengthBytes];
            new Random(lengthBytes).NextBytes(payload);
            Assert.Equal(1, client.Send(payload).Sent);
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(buffer, ServerCase.Patience, out var echo));
            Assert.Equal(payload, buffer[..echo.Length]);
        }
    }

    private static IEnumerable<ServerCase> AllCases()
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        List<UdpBackend> backends = [UdpBackend.Portable];
        if (capabilities.Mmsg.IsAvailable) backends.Add(UdpBackend.Mmsg);
        if (capabilities.Uring.IsAvailable) backends.Add(UdpBackend.Uring);
        if (capabilities.Winsock.IsAvailable) backends.Add(UdpBackend.Winsock);
        return from design in ServerDesigns.All
               from backend in backends
               from coalesced in CoalescedOrNot
               where !coalesced || (backend != UdpBackend.Portable && capabilities.CoalescedReceive.IsAvailable)
               select new ServerCase(design, 1, backend, coalesced);
    }
}
