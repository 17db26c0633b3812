namespace Spate.Tests.Contracts;

/// <summary>Datagrams longer than a frame of Ethernet, in batches with default options.</summary>
public abstract partial class DatagramContract
{
    private static readonly int[] LongBytes = [1, 2048, 2049, 4000, 9000, MaxIPv4Bytes, 2047, 0, 9000, 100];

    [Theory, MemberData(nameof(Forms.OfBatch), MemberType = typeof(Forms))]
    public async Task Receive_LongDatagramsIntoADefaultBatch_ArriveWhole(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        Assert.True(batch.SlotBytes >= MaxIPv6Bytes);

        // Several times, as slots are not the same afterwards.
        for (int round = 0; round < 3; round++)
        {
            await ExchangeAsync(form, sender, receiver, batch, Payloads.Of(LongBytes));
        }

        Assert.Equal(0, receiver.GetCounters().DatagramsTruncated);
    }

    [Theory, MemberData(nameof(Forms.OfBatch), MemberType = typeof(Forms))]
    public async Task Receive_LargestIPv6IntoADefaultBatch_ArrivesWhole(Form form)
    {
        RequireIPv6();
        UdpSocket sender = Bind(UdpEndPoint.IPv6Loopback(0));
        UdpSocket receiver = Bind(UdpEndPoint.IPv6Loopback(0));
        using ReceiveBatch batch = receiver.CreateReceiveBatch();

        await ExchangeAsync(form, sender, receiver, batch, Payloads.Of(65_000, 65_400, 40));
    }

    [Fact]
    public async Task Receive_LongDatagramsInEverySlot_ArriveWhole()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        int[] lengthsBytes = [.. Enumerable.Range(0, batch.SlotCount).Select(i => 2040 + (i * 137))];

        for (int round = 0; round < 3; round++)
        {
            await ExchangeAsync(Form.Batch, sender, receiver, batch, Payloads.Of(lengthsBytes));
        }
    }

    [Fact]
    public async Task Lease_LongDatagrams_StayWholeAndSoDoTheNext()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        List<DatagramLease> leases = [];
        byte[][] payloads = Payloads.Of(9000, 10, 4000, MaxIPv4Bytes, 2049);
        for (int round = 0; round < 4; round++)
        {
            await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);
            for (int end = leases.Count + payloads.Length; leases.Count < end;)
            {
                Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch));
                foreach (Datagram datagram in batch) leases.Add(datagram.Lease());
            }

            Assert.All(leases, (lease, i) => Assert.Equal(payloads[i % payloads.Length], lease.Payload.ToArray()));
            if (round % 2 == 0) continue;
            leases.ForEach(lease => lease.Dispose());
            leases.Clear();
        }
    }

    [Fact]
    public async Task Receive_LongDatagramsAreStaged_ADefaultBatchGetsThemWhole()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        byte[][] payloads = Payloads.Of(30, 9000, MaxIPv4Bytes, 20);

        // One call takes all of them and returns the first, where a call takes several.
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);
        Assert.Equal(ReceiveStatus.Received, receiver.ReceiveFrom(new byte[30], out _));
        List<Incoming> received = [];
        while (received.Count < 3) received.AddRange(await ReceiveBatchAsync(Form.Batch, receiver, batch));

        Assert.Equal(payloads[1..], received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.False(datagram.IsTruncated));
    }

    [Fact]
    public async Task TryForward_LongDatagrams_ArriveWhole()
    {
        UdpSocket sender = BindLoopback();
        UdpSocket relay = BindLoopback();
        UdpSocket receiver = BindLoopback();
        using ReceiveBatch batch = relay.CreateReceiveBatch();
        using SendBatch outgoing = relay.CreateSendBatch();
        byte[][] payloads = Payloads.Of(9000, 10, 4000, MaxIPv4Bytes);
        await SendPayloadsAsync(Form.Batch, sender, relay.LocalEndPoint, payloads);
        for (int count = 0; count < payloads.Length; count += batch.Count)
        {
            Assert.Equal(ReceiveStatus.Received, relay.Receive(batch));
            foreach (Datagram datagram in batch) Assert.True(outgoing.TryForward(datagram, receiver.LocalEndPoint));
        }

        Assert.Equal(payloads.Length, relay.Send(outgoing).Sent);
        Assert.Equal(payloads, await ReceivePayloadsAsync(Form.Batch, receiver, payloads.Length));
    }

    [Fact]
    public async Task Receive_BatchOfASocketWithoutCoalescing_ServesEveryOtherOfTheBackend()
    {
        UdpSocket plain = BindLoopback(Options(coalesced: false));
        UdpSocket receiver = BindLoopback();
        UdpSocket sender = BindLoopback();
        using ReceiveBatch batch = plain.CreateReceiveBatch();

        await ExchangeAsync(Form.Batch, sender, receiver, batch, Payloads.Same(200, 1000));
        await ExchangeAsync(Form.Batch, sender, plain, batch, Payloads.Of(LongBytes));
    }

    private async Task ExchangeAsync(
        Form form, UdpSocket sender, UdpSocket receiver, ReceiveBatch batch, byte[][] payloads)
    {
        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = [];
        while (received.Count < payloads.Length) received.AddRange(await ReceiveBatchAsync(form, receiver, batch));

        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.False(datagram.IsTruncated));
    }
}
