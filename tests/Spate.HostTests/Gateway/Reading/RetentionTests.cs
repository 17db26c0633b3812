using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Reading;

/// <summary>Streams at their limit: what retention removes is no loss.</summary>
[Collection(BrokerCollection.Name)]
public sealed class RetentionTests
{
    // 42 KB a message, so a segment is a handful.
    private const int CountPerMessage = 3000;

    private readonly RabbitBroker _broker;
    private ulong _next;

    public RetentionTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Read_HeadIsCut_SaysSoAndIsComplete()
    {
        await using StreamBench stream = await StreamBench.OpenSmallAsync(_broker);
        await stream.PublishAsync(MessageBytes.AccountingTotals(0, 0, 1, flags: PackFlags.Begin));
        await stream.CutAsync(1, () => PublishAsync(stream));
        await stream.PublishAsync(MessageBytes.AccountingTotals(_next, _next, 2, flags: PackFlags.End));

        ToolResult result = await Tool.RunAsync(
            "gateway", "read", "--from", _broker.Target, "--stream", stream.Name, "--verify");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("head cut, begins with", result.Output, StringComparison.Ordinal);
        Assert.Contains("complete: no accepted datagram is missing", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Follow_RetentionOvertakesTheReader_IsNoLoss()
    {
        await using StreamBench stream = await StreamBench.OpenSmallAsync(_broker);
        await stream.PublishAsync(MessageBytes.AccountingTotals(0, 0, 1, flags: PackFlags.Begin));
        await PublishAsync(stream);
        using var isReading = new ManualResetEventSlim();
        using var isCut = new ManualResetEventSlim();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        long last = -1;
        string? notice = null;
        GatewayReaderOptions options = stream.Options with
        {
            Follow = true,
            PrefetchCount = 1,
            OnNotice = line => notice ??= line,
        };
        Task<GatewayFindings> reading = GatewayReader.ReadAsync(
            options,
            (in GatewayRecord record) =>
            {
                isReading.Set();
                isCut.Wait(TestContext.Current.CancellationToken);
                if (record.Sequence == Volatile.Read(ref last)) end.Cancel();
            },
            end.Token);

        // The reader looks at its first message until the broker has removed what comes next.
        Assert.True(isReading.Wait(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
        await stream.CutAsync(20, () => PublishAsync(stream));
        await stream.PublishAsync(MessageBytes.AccountingTotals(_next, _next, 2));
        await PublishAsync(stream);
        Volatile.Write(ref last, (long)_next - 1);
        isCut.Set();
        GatewayKeyFindings key = Assert.Single((await reading).Keys);

        Assert.Equal((0L, 0L, 0L), (key.Missing, key.CommittedMissing, key.Unexplained));
        Assert.True(key.CutOff >= CountPerMessage, $"{key.CutOff} cut off");
        Assert.Equal((long)_next, key.Datagrams + key.CutOff);
        Assert.StartsWith("head cut: ", notice, StringComparison.Ordinal);
    }

    // Jumps of the offsets as a whole stream has them: the message is missing, and nothing was cut.
    [Fact]
    public async Task Read_GapInAWholeStream_IsMissing()
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());
        await stream.PublishAsync(MessageBytes.AccountingTotals(0, 0, 1, flags: PackFlags.Begin));
        for (int i = 0; i < 300; i++) await PublishAsync(stream);
        _next += 5;
        for (int i = 0; i < 300; i++) await PublishAsync(stream);
        await stream.PublishAsync(MessageBytes.AccountingTotals(_next, _next - 5, 2, flags: PackFlags.End));

        GatewayFindings findings = await GatewayReader.ReadAsync(
            stream.Options with { PrefetchCount = 1000 }, visit: null, TestContext.Current.CancellationToken);

        GatewayKeyFindings key = Assert.Single(findings.Keys);
        Assert.Equal((5L, 0L, (long)_next - 5), (key.Missing, key.CutOff, key.Datagrams));
        Assert.False(findings.IsComplete);
    }

    private ValueTask PublishAsync(StreamBench stream)
    {
        byte[] message = MessageBytes.Records(_next, CountPerMessage);
        _next += CountPerMessage;
        return stream.PublishAsync(message);
    }
}
