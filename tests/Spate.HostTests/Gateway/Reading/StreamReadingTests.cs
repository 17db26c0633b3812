using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.HostTests.Gateway.Brokers;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Reading;

/// <summary>A reader and its broker: lost connections, hostile messages, slow visits.</summary>
[Collection(BrokerCollection.Name)]
public sealed class StreamReadingTests
{
    private static readonly TimeSpan Quiet = TimeSpan.FromMilliseconds(50);

    private readonly RabbitBroker _broker;

    public StreamReadingTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Follow_ConnectionKilled_GoesOnWithoutLossAndCopies()
    {
        string name = await _broker.DeclareStreamAsync();
        await PublishRecordsAsync(name, 0, 5);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var half = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var sequences = new List<long>();
        string? notice = null;
        GatewayReaderOptions options = Options(name) with { Follow = true, OnNotice = line => notice ??= line };
        Task<GatewayFindings> reading = GatewayReader.ReadAsync(
            options,
            (in GatewayRecord record) =>
            {
                sequences.Add(record.Sequence);
                if (record.Sequence == 4) half.SetResult();
                if (record.Sequence == 9) end.Cancel();
            },
            end.Token);
        await half.Task.WaitAsync(TestContext.Current.CancellationToken);
        await _broker.Nodes[0].ControlAsync("close_all_connections", "a test");
        await PublishRecordsAsync(name, 5, 5);
        GatewayFindings findings = await reading;

        Assert.Equal(Enumerable.Range(0, 10).Select(static number => (long)number), sequences);
        Assert.Equal((10L, 0L, 0L), (findings.Datagrams, findings.Duplicates, findings.Missing));
        Assert.StartsWith("connection lost after offset 4: ", notice, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Follow_StreamDeclaredAgain_EndsInOneLine()
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());
        for (ulong i = 0; i < 3; i++) await stream.PublishAsync(MessageBytes.Records(i, 1));
        var isRead = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var isDeclared = new ManualResetEventSlim();
        GatewayReaderOptions options = stream.Options with
        {
            Follow = true,
            ConnectTimeout = TimeSpan.FromSeconds(1),

            // The reader connects again once the stream is there again.
            OnNotice = _ => isDeclared.Wait(TestContext.Current.CancellationToken),
        };
        Task<GatewayFindings> reading = GatewayReader.ReadAsync(
            options,
            (in GatewayRecord record) =>
            {
                if (record.Sequence == 2) isRead.SetResult();
            },
            TestContext.Current.CancellationToken);
        await isRead.Task.WaitAsync(TestContext.Current.CancellationToken);
        await stream.DeclareAgainAsync();
        await stream.PublishAsync(MessageBytes.Records(0, 1));
        isDeclared.Set();
        GatewayException end = await Assert.ThrowsAsync<GatewayException>(() => reading);

        Assert.Contains("no longer reaches offset 2", end.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Read_HostileMessages_AreCountedAndTheRestIsRead()
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());
        byte[] good = MessageBytes.Records(0, 5);
        byte[] wrongVersion = [.. good];
        wrongVersion[4] = 9;
        await stream.PublishAsync(MessageBytes.AccountingTotals(0, 0, 1, flags: PackFlags.Begin));
        await stream.PublishAsync(wrongVersion);
        await stream.PublishAsync(good, FormatLimits.ContentTypeOfAnyVersion + ";version=2");
        await stream.PublishAsync(good[..^1]);
        await stream.PublishAsync([]);
        await stream.PublishAsync(new byte[5 << 20]);
        await stream.PublishAsync(good, "text/plain");
        await stream.PublishAsync(new byte[5 << 20], contentType: null);
        await stream.PublishAsync(good);
        await stream.PublishAsync(MessageBytes.AccountingTotals(5, 5, 2, flags: PackFlags.End));

        GatewayFindings findings = await GatewayReader.ReadAsync(
            stream.Options, visit: null, TestContext.Current.CancellationToken);

        Assert.Equal(
            (10L, 5L, 2L, 5L),
            (findings.Messages, findings.MessagesUnreadable, findings.MessagesForeign, findings.Datagrams));
        GatewayKeyFindings key = Assert.Single(findings.Keys);
        Assert.Equal((GatewayEpochState.Ended, 0L), (key.State, key.Missing));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Read_MessageBeyondTheUsualLimit_IsTakenAloneAndReadingGoesOn(bool isLast)
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());
        for (ulong i = 0; i < 3; i++) await stream.PublishAsync(MessageBytes.Records(i, 1));
        await stream.PublishAsync(new byte[9 << 20]);
        if (!isLast) await stream.PublishAsync(MessageBytes.Records(3, 1));
        GatewayFindings findings = await GatewayReader.ReadAsync(
            stream.Options, visit: null, TestContext.Current.CancellationToken);

        Assert.Equal((isLast ? 3L : 4L, 1L), (findings.Datagrams, findings.MessagesUnreadable));
    }

    [Fact]
    public async Task Read_VisitSlowerThanTheQuietTime_ReadsTheLastChunkToItsEnd()
    {
        const int Count = 200;
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());

        // All at once, so that many are in the last chunk.
        await Task.WhenAll(Enumerable.Range(0, Count).Select(number =>
            stream.PublishAsync(MessageBytes.Records((ulong)number, 1)).AsTask()));
        using var slow = new PeriodicTimer(2 * Quiet);
        int visited = 0;
        GatewayFindings findings = await GatewayReader.ReadAsync(
            stream.Options with { QuietTime = Quiet },
            (in GatewayRecord record) =>
            {
                // The last ones, one by one: a pager that nobody scrolls.
                if (++visited > Count - 10) slow.WaitForNextTickAsync().AsTask().Wait();
            },
            TestContext.Current.CancellationToken);

        Assert.Equal(Count, findings.Datagrams);
    }

    private GatewayReaderOptions Options(string name) => new()
    {
        Target = GatewayTarget.Parse(_broker.Target),
        Credentials = _broker.Credentials,
        StreamName = name,
        ConnectTimeout = TimeSpan.FromSeconds(60),
    };

    private async Task PublishRecordsAsync(string name, ulong first, ulong count)
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, name);
        for (ulong i = first; i < first + count; i++) await stream.PublishAsync(MessageBytes.Records(i, 1));
    }
}
