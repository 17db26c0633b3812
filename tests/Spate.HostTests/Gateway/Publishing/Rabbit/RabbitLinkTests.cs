using System.Net;
using System.Net.Sockets;
using RabbitMQ.Client;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing.Rabbit;
using Spate.HostTests.Gateway.Brokers;

namespace Spate.HostTests.Gateway.Publishing.Rabbit;

/// <summary>The link alone, with a real broker.</summary>
[Collection(BrokerCollection.Name)]
public sealed class RabbitLinkTests : IDisposable
{
    private const int PackBytes = 4096;
    private const int ConfirmWindow = 32;

    private readonly RabbitBroker _broker;
    private readonly RecordingListener _listener = new();

    public RabbitLinkTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    public void Dispose() => _listener.Dispose();

    [Fact]
    public async Task Publish_Stream_IsConfirmedPersistentAndTyped()
    {
        string name = await _broker.DeclareStreamAsync();
        await using RabbitLink link = MakeLink(name);
        await link.ConnectAsync(_listener, Stop);
        for (int i = 0; i < 20; i++) await link.PublishAsync(Pack((byte)i), Stop);

        await _listener.WaitForTagAsync(20);
        Assert.All(_listener.Events, static one => Assert.Equal("confirmed", one));
    }

    [Fact]
    public async Task Publish_Queue_MessageCarriesTheContentType()
    {
        string name = await _broker.DeclareAsync(("x-queue-type", "quorum"));
        await using RabbitLink link = MakeLink(name, kind: GatewayQueueKind.Queue);
        await link.ConnectAsync(_listener, Stop);
        await link.PublishAsync(Pack(7), Stop);
        await _listener.WaitForTagAsync(1);

        await using IConnection connection = await _broker.ConnectAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Stop);
        BasicGetResult? got = await channel.BasicGetAsync(name, autoAck: true, Stop);
        Assert.Equal(FormatLimits.ContentType, got!.BasicProperties.ContentType);
        Assert.Equal(DeliveryModes.Persistent, got.BasicProperties.DeliveryMode);
        Assert.Equal(PackBytes, got.Body.Length);
        Assert.Equal(7, got.Body.Span[0]);
    }

    [Fact]
    public async Task Publish_QueueIsDeletedMeanwhile_IsReturnedBeforeItsConfirm()
    {
        string name = await _broker.DeclareAsync(("x-queue-type", "quorum"));
        await using RabbitLink link = MakeLink(name, kind: GatewayQueueKind.Queue);
        await link.ConnectAsync(_listener, Stop);
        await using IConnection connection = await _broker.ConnectAsync();
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: Stop);
        await channel.QueueDeleteAsync(name, ifUnused: false, ifEmpty: false, noWait: false, Stop);
        await link.PublishAsync(Pack(1), Stop);

        await _listener.WaitForTagAsync(1);
        Assert.Equal([$"returned {PackBytes}", "confirmed"], _listener.Events);
    }

    [Fact]
    public async Task Publish_QueueIsFull_IsRefused()
    {
        string name = await _broker.DeclareAsync(
            ("x-queue-type", "quorum"), ("x-max-length-bytes", 2L * PackBytes), ("x-overflow", "reject-publish"));
        await using RabbitLink link = MakeLink(name, kind: GatewayQueueKind.Queue);
        await link.ConnectAsync(_listener, Stop);

        // A quorum queue tells its publishers' channel only later that it is full, and takes what comes until then.
        for (int count = 1; count <= 1000 && !_listener.Events.Contains("refused", StringComparer.Ordinal); count++)
        {
            await link.PublishAsync(Pack(1), Stop);
            await _listener.WaitForCountAsync(count);
        }

        await _listener.WaitForAsync("refused");
    }

    [Fact]
    public async Task Publish_AfterWarmUp_AllocatesAtMostAKilobytePerMessage()
    {
        const int Count = 2048;
        string name = await _broker.DeclareStreamAsync();
        await using RabbitLink link = MakeLink(name);
        await link.ConnectAsync(_listener, Stop);
        PackBuffer pack = Pack(1);
        await PublishWindowsAsync(0, Count);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await PublishWindowsAsync(Count, 2 * Count);
        Assert.InRange((GC.GetTotalAllocatedBytes(precise: true) - before) / Count, 0, 1024);

        // As a pipeline does. Without a bound the client's pool of frames would grow.
        async Task PublishWindowsAsync(int from, int end)
        {
            for (int window = from; window < end; window += ConfirmWindow)
            {
                for (int i = 0; i < ConfirmWindow; i++) await link.PublishAsync(pack, Stop);
                await _listener.WaitForTagAsync((ulong)(window + ConfirmWindow));
            }
        }
    }

    [Fact]
    public async Task Connect_ConnectionIsEnded_IsToldOnceAndTagsBeginAnew()
    {
        string name = await _broker.DeclareStreamAsync();
        await using RabbitLink link = MakeLink(name);
        await link.ConnectAsync(_listener, Stop);
        await link.PublishAsync(Pack(1), Stop);
        await _listener.WaitForTagAsync(1);
        await _broker.Nodes[0].ControlAsync("close_all_connections", "a test\u001b[2J");
        string lost = await _listener.WaitForAsync("lost");
        await Assert.ThrowsAnyAsync<Exception>(async () => await link.PublishAsync(Pack(2), Stop));

        Assert.DoesNotContain('\u001b', lost);
        Assert.Single(_listener.Events, static one => one.StartsWith("lost", StringComparison.Ordinal));
        var second = new RecordingListener();
        await link.ConnectAsync(second, Stop);
        await link.PublishAsync(Pack(3), Stop);
        await second.WaitForTagAsync(1);
        Assert.Equal(1UL, second.Confirmed);
    }

    [Fact]
    public async Task Connect_FirstHostIsDown_NextOneIsTried()
    {
        string name = await _broker.DeclareStreamAsync();
        int down = FreePorts.Find(1)[0];
        await using RabbitLink link = MakeLink(name, target: $"amqp://127.0.0.1:{down},127.0.0.1:{Port}");
        GatewayException failure = await Assert.ThrowsAsync<GatewayException>(() => link.ConnectAsync(_listener, Stop));
        await link.ConnectAsync(_listener, Stop);

        Assert.False(failure.IsRefusal);
        Assert.Contains($"127.0.0.1:{down} cannot be reached: no program listens on its port", failure.Message);
        Assert.Empty(_listener.Events);
    }

    [Fact]
    public async Task Connect_HostThatSaysNothing_IsGivenUpAndTheNextOneIsTried()
    {
        string name = await _broker.DeclareStreamAsync();

        // The kernel completes the handshake, and nobody answers: as with a frozen node.
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        int port = ((IPEndPoint)silent.LocalEndpoint).Port;
        await using RabbitLink link = MakeLink(name, target: $"amqp://127.0.0.1:{port},127.0.0.1:{Port}");
        GatewayException failure = await Assert.ThrowsAsync<GatewayException>(() => link.ConnectAsync(_listener, Stop));
        await link.ConnectAsync(_listener, Stop);

        Assert.False(failure.IsRefusal);
        Assert.Contains($"127.0.0.1:{port} cannot be reached: no answer in time", failure.Message);
    }

    [Theory]
    [InlineData("SSH-2.0-OpenSSH_9.2\r\n")]
    [InlineData("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")]
    public async Task Connect_HostThatIsNoBroker_IsSaid(string greeting)
    {
        using var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        Task greets = GreetAsync(other, greeting);
        await using RabbitLink link = MakeLink("none", target: $"amqp://{other.LocalEndpoint}");
        GatewayException failure = await Assert.ThrowsAsync<GatewayException>(() => link.ConnectAsync(_listener, Stop));
        await greets;

        Assert.Contains("does not speak AMQP", failure.Message);
    }

    [Fact]
    public async Task Publish_UserMayNotPublish_IsLostByARefusal()
    {
        string name = await _broker.DeclareStreamAsync();
        await _broker.Nodes[0].ControlAsync("add_user", name, "secret");
        await _broker.Nodes[0].ControlAsync("set_permissions", name, ".*", "^nothing$", ".*");
        await using RabbitLink link = MakeLink(name, user: name, password: "secret");
        await link.ConnectAsync(_listener, Stop);
        await link.PublishAsync(Pack(1), Stop);

        string lost = await _listener.WaitForAsync("lost");
        Assert.StartsWith($"lost refused the connection to 127.0.0.1:{Port} is lost: ACCESS_REFUSED", lost);
    }

    [Theory]
    [InlineData("amqp://127.0.0.1:PORT", "wrong", "none", "refuses user 'guest': the user or the password is wrong")]
    [InlineData("amqp://127.0.0.1:PORT/gone", "guest", "none", "refuses the virtual host: NOT_ALLOWED")]
    [InlineData(
        "amqp://127.0.0.1:PORT", "guest", "none", "stream 'none' does not exist: create it, or let a gateway")]
    [InlineData("amqps://127.0.0.1:TLS", "guest", "none", "its certificate is for localhost, not for 127.0.0.1")]
    [InlineData("amqps://localhost:PORT", "guest", "none", "failed the TLS handshake")]
    public async Task Connect_Refused_OneLineSaysWhy(string target, string password, string name, string expected)
    {
        await using RabbitLink link = MakeLink(name, target: Fill(target), password: password);
        GatewayException refusal = await Assert.ThrowsAsync<GatewayException>(() => link.ConnectAsync(_listener, Stop));

        Assert.Contains(expected, refusal.Message, StringComparison.Ordinal);
        Assert.True(refusal.IsRefusal);
        Assert.DoesNotContain(password is "wrong" ? "'wrong'" : "\n", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Connect_Tls_OwnAuthorityIsEnough()
    {
        await using RabbitLink link = MakeLink(
            "declared-tls", target: Fill("amqps://localhost:TLS"), declared: 50_000_000);
        await link.ConnectAsync(_listener, Stop);
        await link.PublishAsync(Pack(1), Stop);
        await _listener.WaitForTagAsync(1);
    }

    [Fact]
    public async Task Connect_Declare_TwiceIsFineAndOtherArgumentsAreNot()
    {
        string name = _broker.NewName();
        await using RabbitLink first = MakeLink(name, declared: 50_000_000);
        await first.ConnectAsync(_listener, Stop);
        await using RabbitLink same = MakeLink(name, declared: 50_000_000);
        await same.ConnectAsync(_listener, Stop);
        await using RabbitLink other = MakeLink(name, declared: 60_000_000);
        GatewayException refusal = await Assert.ThrowsAsync<GatewayException>(
            () => other.ConnectAsync(_listener, Stop));

        Assert.True(refusal.IsRefusal);
        Assert.Contains($"stream '{name}' exists with other arguments", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("x-max-length-bytes", refusal.Message, StringComparison.Ordinal);
    }

    private int Port => _broker.Nodes[0].Port;

    private static async Task GreetAsync(TcpListener listener, string greeting)
    {
        using TcpClient client = await listener.AcceptTcpClientAsync(Stop);
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(greeting), Stop);
    }

    private static PackBuffer Pack(byte mark)
    {
        var pack = new PackBuffer(PackBytes) { UsedBytes = PackBytes };
        pack.Bytes.AsSpan().Fill(mark);
        return pack;
    }

    private string Fill(string target) => target
        .Replace("PORT", $"{Port}", StringComparison.Ordinal)
        .Replace("TLS", $"{_broker.Nodes[0].TlsPort}", StringComparison.Ordinal);

    private RabbitLink MakeLink(
        string name,
        string? target = null,
        string user = "guest",
        string password = "guest",
        GatewayQueueKind kind = GatewayQueueKind.Stream,
        long? declared = null) => new(
        new RabbitLinkOptions
        {
            Target = GatewayTarget.Parse(target ?? $"amqp://127.0.0.1:{Port}"),
            Credentials = new GatewayCredentials(user, password),
            Tls = RabbitTls.Create(_broker.AuthorityPath),
            Id = "test",
            Names = [name],
            Kind = kind,
            DeclaredBytes = declared,
        },
        shard: 0);
}
