namespace Spate.Tests;

/// <summary>Memory of a batch that was used before: a reservation shows no bytes of another peer.</summary>
public sealed class OldBytesTests
{
    private const int BufferBytes = SendBatch.MaxPayloadBytes;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);
    private static readonly UdpEndPoint First = UdpEndPoint.Parse("10.0.0.1:1");
    private static readonly UdpEndPoint Second = UdpEndPoint.Parse("10.0.0.2:2");
    private static readonly byte[] Secret = [.. Enumerable.Repeat((byte)0xAA, 100)];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(50)]
    public void TryReserve_AfterAnotherPeersSend_UnfilledBytesAreZero(int count)
    {
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint other = UdpEndPoint.Parse($"127.0.0.2:{receiver.LocalEndPoint.Port}");
        for (int i = 0; i < count; i++) Assert.True(batch.TryAdd(Secret, other));
        Assert.Equal(0, socket.Send(batch).Remaining);

        for (int i = 0; i < count; i++)
        {
            Assert.True(batch.TryReserve(receiver.LocalEndPoint, Secret.Length, out Span<byte> payload));
            payload[..60].Fill(1);
        }

        Assert.True(socket.Send(batch).IsComplete);
        byte[] buffer = new byte[Secret.Length];
        for (int i = 0; i < count; i++)
        {
            ReceiveStatus status = receiver.ReceiveFrom(buffer, Patience, out ReceivedDatagram received);
            Assert.Equal((ReceiveStatus.Received, Secret.Length), (status, received.Length));
            Assert.Equal(-1, buffer.AsSpan(60).IndexOfAnyExcept((byte)0));
        }
    }

    [Fact]
    public void TryReserve_TrimmedBefore_TheNextPeerSeesNothingOfIt()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryReserve(First, 100, out Span<byte> payload));
        payload.Fill(0xAA);
        batch.Trim(10);

        Assert.True(batch.TryReserve(Second, 200, out payload));

        Assert.Equal(-1, payload.IndexOfAnyExcept((byte)0));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TryReserve_TrimmedBeforeBySamePeer_ZeroesNothing(bool isConnected)
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        UdpEndPoint peer = isConnected ? default : First;
        Assert.True(batch.TryAdd(Secret, Second));
        Assert.True(batch.TryReserve(peer, 100, out Span<byte> payload));
        payload.Fill(0xBB);
        batch.Trim(10);

        Assert.True(batch.TryReserve(peer, 100, out payload));

        Assert.Equal(90, payload.IndexOfAnyExcept((byte)0xBB));
        Assert.Equal(-1, payload[90..].IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void TryReserve_ConnectedPeerAfterPartOfTheSend_CountsAsAnother()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryReserve(100, out Span<byte> payload));
        payload.Fill(0xAA);
        batch.Trim(10);
        batch.Queue.Use.Enter();
        batch.Queue.Leave();

        Assert.True(batch.TryReserve(100, out payload));

        Assert.Equal((2, -1), (batch.Count, payload.IndexOfAnyExcept((byte)0)));
    }

    [Fact]
    public void TryReserve_ConnectedPeer_CountsAsAnotherEachTime()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch();
        Assert.True(batch.TryAdd(Secret, default));
        batch.Clear();

        Assert.True(batch.TryReserve(Secret.Length, out Span<byte> payload));

        Assert.Equal(-1, payload.IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void TryReserve_KeepsOldBytes_ShowsThemToEveryPeer()
    {
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch(new SendBatchOptions { KeepsOldBytes = true });
        Assert.True(batch.TryAdd(Secret, First));
        batch.Clear();

        Assert.True(batch.TryReserve(Second, Secret.Length, out Span<byte> payload));

        Assert.True(payload.SequenceEqual(Secret));
    }

    [Fact]
    public void TryReserve_AnySequence_ShowsOnlyZerosAndThePeersOwnBytes()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("SPATE_SEED"), out int given)
            ? given
            : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        var random = new Random(seed);
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = socket.CreateSendBatch(new SendBatchOptions { BufferBytes = BufferBytes });
        int[] sizes = [0, 1, 64, 64, 64, 200, 1380, 20_000];
        int fillingCount = 0;
        for (int step = 0; step < TestWidth.Of(20_000, full: 500_000); step++)
        {
            // Peers come in runs, so that the way that only counts is taken too. The peer 0 is the default one.
            int number = random.Next(4);
            UdpEndPoint peer = number == 0 ? default : UdpEndPoint.Loopback((ushort)number);
            int size = sizes[random.Next(sizes.Length)];
            for (int i = random.Next(1, 5); i > 0; i--)
            {
                if (!batch.TryReserve(peer, size, out Span<byte> payload)) Clear();

                // The default peer is another one in each filling.
                byte mark = (byte)(number == 0 ? 100 + (fillingCount % 100) : number);
                int at = payload.IndexOfAnyExcept((byte)0, mark);
                Assert.True(at < 0, $"Step {step}: byte {at} of {payload.Length} is of another peer.");
                if (random.Next(4) > 0) payload.Fill(mark);
                if (payload.Length > 0 && random.Next(8) == 0) batch.Trim(random.Next(payload.Length));
            }

            if (random.Next(20) == 0) Clear();
        }

        void Clear()
        {
            batch.Clear();
            fillingCount++;
        }
    }
}
