using RabbitMQ.Client;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.HostTests.Gateway.Brokers;

namespace Spate.HostTests.Gateway.Reading;

/// <summary>A stream into which a test publishes messages itself, and what a reader of it needs.</summary>
internal sealed class StreamBench : IAsyncDisposable
{
    private readonly BrokerCluster _cluster;
    private readonly IConnection _connection;
    private readonly IChannel _channel;

    private StreamBench(BrokerCluster cluster, string name, IConnection connection, IChannel channel) =>
        (_cluster, Name, _connection, _channel) = (cluster, name, connection, channel);

    public string Name { get; }

    /// <summary>A reader with times that fit a test.</summary>
    public GatewayReaderOptions Options => new()
    {
        Target = GatewayTarget.Parse(_cluster.Target),
        Credentials = _cluster.Credentials,
        StreamName = Name,
        ConnectTimeout = TimeSpan.FromSeconds(60),
        QuietTime = TimeSpan.FromMilliseconds(300),
    };

    public static async Task<StreamBench> OpenAsync(BrokerCluster cluster, string name)
    {
        IConnection connection = await cluster.ConnectAsync();
        IChannel channel = await connection.CreateChannelAsync(
            new CreateChannelOptions(
                publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true),
            TestContext.Current.CancellationToken);
        return new StreamBench(cluster, name, connection, channel);
    }

    /// <summary>A stream that keeps about a megabyte.</summary>
    public static async Task<StreamBench> OpenSmallAsync(BrokerCluster cluster) => await OpenAsync(
        cluster,
        await cluster.DeclareAsync(
            ("x-queue-type", "stream"),
            ("x-max-length-bytes", 1_000_000L),
            ("x-stream-max-segment-size-bytes", 200_000L)));

    /// <summary>Publishes a message and waits until it is confirmed.</summary>
    public ValueTask PublishAsync(byte[] body, string? contentType = FormatLimits.ContentType) =>
        _channel.BasicPublishAsync(
            "",
            Name,
            mandatory: true,
            contentType is null ? new BasicProperties() : new BasicProperties { ContentType = contentType },
            body,
            TestContext.Current.CancellationToken);

    /// <summary>Deletes the stream and declares an empty one of its name.</summary>
    public async Task DeclareAgainAsync()
    {
        await _channel.QueueDeleteAsync(Name, ifUnused: false, ifEmpty: false);
        await _channel.QueueDeclareAsync(
            Name, durable: true, exclusive: false, autoDelete: false,
            new Dictionary<string, object?>(StringComparer.Ordinal) { ["x-queue-type"] = "stream" });
    }

    /// <summary>Publishes by <paramref name="publish"/> until retention has removed an offset.</summary>
    public async Task CutAsync(ulong offset, Func<ValueTask> publish)
    {
        do
        {
            for (int i = 0; i < 10; i++) await publish();
        }
        while (await FirstOffsetAsync() <= offset);
    }

    public async ValueTask DisposeAsync()
    {
        await _channel.DisposeAsync();
        await _connection.DisposeAsync();
    }

    private async Task<ulong> FirstOffsetAsync()
    {
        ulong? first = null;
        using var found = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        await GatewayReader.ReadAsync(
            Options with { Follow = true, PrefetchCount = 1 },
            (in GatewayRecord record) =>
            {
                first ??= (ulong)record.StreamOffset;
                found.Cancel();
            },
            found.Token);
        return first!.Value;
    }
}
