using System.Buffers.Binary;
using System.Net;

namespace Spate.CliTests.Samples;

/// <summary>The RTP relay: one source, two subscribers, and a gap.</summary>
public sealed class RtpSampleTests
{
    private static readonly byte[] Subscribe = [.. "SUB"u8];

    [Fact]
    public async Task Stream_WithAGap_ReachesAllSubscribersAndIsCounted()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("RtpRelay");
        await RelayAsync(sample.EndPoint);
        Assert.Matches(
            @"^4 packets, 2 missing; \d+ relayed, [1-9]\d* of strangers\n$", await sample.EndAsync());
    }

    [Fact]
    public async Task Handler_StreamWithAGap_ReachesAllSubscribersAndIsCounted()
    {
        await using var sample = new ServedSample<RelayHandler>(
            TimeSpan.FromSeconds(1), static shard => new RelayHandler(shard));
        await RelayAsync(sample.EndPoint);
        await sample.StopAsync();

        RelayHandler relay = sample.Handler!;
        Assert.Equal((4, 2), (relay.Stream.Packets, relay.Stream.Missing));
        Assert.NotEqual(0, relay.Strays);
    }

    [Theory]
    [InlineData("")]
    [InlineData("SPATE_GRO=0")]
    [InlineData("SPATE_BACKEND=portable")]
    [InlineData("SPATE_BACKEND=uring")]
    public async Task Stream_LongPackets_ReachTheSubscriberWhole(string setting)
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartUnderAsync(setting, "RtpRelay");
        await RelayLongAsync(sample.EndPoint);
    }

    [Fact]
    public async Task Handler_LongPackets_ReachTheSubscriberWhole()
    {
        await using var sample = new ServedSample<RelayHandler>(
            TimeSpan.FromSeconds(1), static shard => new RelayHandler(shard));
        await RelayLongAsync(sample.EndPoint);
    }

    // Longer than a slot, so that each takes several.
    private static async Task RelayLongAsync(IPEndPoint relay)
    {
        using var source = new SampleClient(relay);
        using var subscriber = new SampleClient(relay);
        await SubscribeAsync(subscriber);
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        for (ushort number = 1; number <= 3; number++)
        {
            byte[] packet = [.. Packet(number), .. new byte[9000 * number]];
            await source.SendAsync(packet);
            Assert.Equal(packet, await NextAsync(subscriber, patience.Token));
        }
    }

    private static async Task RelayAsync(IPEndPoint relay)
    {
        using var source = new SampleClient(relay);
        using var first = new SampleClient(relay);
        using var second = new SampleClient(relay);
        await SubscribeAsync(first);
        await SubscribeAsync(second);

        // The numbers begin anew within the stream; two are missing before the last one.
        ushort[] numbers = [65_534, 65_535, 0, 3];
        foreach (ushort number in numbers) await source.SendAsync(Packet(number));
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        foreach (SampleClient subscriber in (SampleClient[])[first, second])
        {
            foreach (ushort number in numbers)
            {
                Assert.Equal(Packet(number), await NextAsync(subscriber, patience.Token));
            }
        }

        await SampleAttack.SendAsync(relay, RandomCase.Create(), Packet(7), Subscribe);
        await SubscribeAsync(first);
    }

    private static Task<byte[]> SubscribeAsync(SampleClient client) =>
        client.AskAsync(Subscribe, static answer => answer.AsSpan().SequenceEqual("OK"u8));

    // A subscription that was asked for twice was answered twice.
    private static async Task<byte[]> NextAsync(SampleClient client, CancellationToken cancellationToken)
    {
        while (true)
        {
            byte[] packet = await client.ReceiveAsync(cancellationToken);
            if (packet.Length > 2) return packet;
        }
    }

    private static byte[] Packet(ushort number)
    {
        byte[] packet = new byte[172];
        packet[0] = 0x80;
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), number);
        return packet;
    }
}
