using RabbitMQ.Client;
using Spate.Gateway.Escaping;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// A pipeline's connection to RabbitMQ, with one channel that confirms. The client's own tracking of confirms is off:
/// it costs a header and 1.1 KB per message, and the pipeline has its window.
/// </summary>
/// <param name="options">What all pipelines have in common.</param>
/// <param name="shard">The pipeline's shard: pipelines begin with different hosts.</param>
internal sealed class RabbitLink(RabbitLinkOptions options, int shard) : ILink
{
    // How long an ended connection may take to say goodbye, before the next one or the end of the program.
    private static readonly TimeSpan Farewell = TimeSpan.FromSeconds(1);

    private readonly RabbitConnector _connector = new(
        options.Target,
        options.Credentials,
        options.Tls,
        $"spate gateway {OneLine.Of(options.Id)}, shard {shard}");

    private readonly HostList _hosts = new(options.Target.Hosts, shard);
    private readonly CachedString[] _routingKeys = [.. options.Names.Select(static name => new CachedString(name))];

    // One object for all messages. The client would give it an empty table of headers in any case, and allocate it.
    private readonly BasicProperties _properties = new()
    {
        ContentType = FormatLimits.ContentType,
        DeliveryMode = DeliveryModes.Persistent,
        Headers = new Dictionary<string, object?>(StringComparer.Ordinal),
    };

    private RabbitSession? _session;
    private bool _isChecked;

    public async Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken)
    {
        if (_session is not null)
        {
            await LeaveAsync().ConfigureAwait(false);
            _hosts.Next();
        }

        try
        {
            _session = await OpenAsync(listener, cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            _hosts.Next();
            throw;
        }
    }

    public async ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken)
    {
        RabbitSession session = _session ?? throw new InvalidOperationException("The link is not connected.");
        try
        {
            // Not cancelled: the client would give the number of the message to the next one. Ending the connection
            // ends the call. The default exchange routes by the name of the queue.
            await session.Channel.BasicPublishAsync(
                CachedString.Empty,
                _routingKeys[pack.Partition],
                mandatory: true,
                _properties,
                pack.Message,
                CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            // Whether the message left is not known, so the numbers of later ones would not be either.
            session.Lose(RabbitFaults.ReasonOf(fault), isRefusal: false);
            throw;
        }
    }

    public async ValueTask DisposeAsync() => await LeaveAsync().ConfigureAwait(false);

    private async Task<RabbitSession> OpenAsync(ILinkListener listener, CancellationToken cancellationToken)
    {
        RabbitConnection connection = await _connector.OpenAsync(
            _hosts.Current, RabbitConnector.MaxInboundBytes, cancellationToken).ConfigureAwait(false);
        using CancellationTokenRegistration cut = cancellationToken.UnsafeRegister(
            static opened => ((RabbitConnection)opened!).Cut(), connection);
        try
        {
            // Once is enough. Later a missing queue shows by returned messages, and the check of a stream whose leader
            // is being elected would fail for some seconds in which publishing can begin.
            if (!_isChecked)
            {
                await RabbitQueueCheck.RunAsync(
                    connection.Connection, options.Names, options.Kind, options.DeclaredBytes, cancellationToken)
                    .ConfigureAwait(false);
            }

            RabbitSession session = await RabbitSession.OpenAsync(connection, listener, cancellationToken)
                .ConfigureAwait(false);
            _isChecked = true;
            return session;
        }
        catch (Exception fault)
        {
            await connection.EndAsync(Farewell).ConfigureAwait(false);

            // The client's own time limits are cancellations too.
            cancellationToken.ThrowIfCancellationRequested();
            if (fault is GatewayException) throw;
            throw RabbitFaults.OfChannel(fault, _hosts.Current);
        }
    }

    private async Task LeaveAsync()
    {
        if (_session is not { } session) return;
        _session = null;
        session.Leave();
        await session.Connection.EndAsync(Farewell).ConfigureAwait(false);
    }
}

/// <summary>What the links of all pipelines of a gateway have in common.</summary>
internal sealed record RabbitLinkOptions
{
    /// <summary>The broker; not <see cref="GatewayTarget.Discard"/>.</summary>
    public required GatewayTarget Target { get; init; }

    public required GatewayCredentials Credentials { get; init; }

    public required RabbitTls Tls { get; init; }

    /// <summary>The gateway's id, which the broker shows in the names of its connections.</summary>
    public required string Id { get; init; }

    /// <summary>The names of the streams or queues, by partition (<see cref="PartitionNames"/>).</summary>
    public required IReadOnlyList<string> Names { get; init; }

    public required GatewayQueueKind Kind { get; init; }

    /// <summary>How many bytes each stream or queue may hold, to declare them; null to look only.</summary>
    public long? DeclaredBytes { get; init; }
}

/// <summary>
/// Looks whether the streams or queues of all partitions are there, and declares them where that is asked for.
/// </summary>
internal static class RabbitQueueCheck
{
    /// <summary>Looks, or declares.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="names">The names of the partitions.</param>
    /// <param name="kind">What they should be.</param>
    /// <param name="declaredBytes">How many bytes each may hold, to declare them; null to look only.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="GatewayException">One is missing, is there with other arguments, or may not be
    /// used.</exception>
    public static async Task RunAsync(
        IConnection connection,
        IReadOnlyList<string> names,
        GatewayQueueKind kind,
        long? declaredBytes,
        CancellationToken cancellationToken)
    {
        string current = names[0];
        try
        {
            // A refusal ends the channel, which is why this one is not the channel that publishes.
            IChannel channel = await connection.CreateChannelAsync(options: null, cancellationToken)
                .ConfigureAwait(false);
            await using (channel.ConfigureAwait(false))
            {
                foreach (string name in names)
                {
                    current = name;
                    if (declaredBytes is { } bytes)
                    {
                        await channel.QueueDeclareAsync(
                            name,
                            durable: true,
                            exclusive: false,
                            autoDelete: false,
                            QueueDeclaration.ArgumentsOf(kind, bytes),
                            passive: false,
                            noWait: false,
                            cancellationToken).ConfigureAwait(false);
                    }
                    else
                    {
                        await channel.QueueDeclarePassiveAsync(name, cancellationToken).ConfigureAwait(false);
                    }
                }
            }
        }
        catch (Exception fault)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw RabbitFaults.OfQueue(fault, current, kind, declaredBytes is not null);
        }
    }
}

/// <summary>The arguments with which <c>--declare</c> makes streams and queues. Pure.</summary>
internal static class QueueDeclaration
{
    // A stream forgets whole segments: with twenty of them, at most a twentieth more than its limit is kept.
    private const int SegmentsPerStream = 20;
    private const long MinSegmentBytes = 1_000_000;
    private const long MaxSegmentBytes = 100_000_000;

    /// <summary>The arguments of a stream or a queue.</summary>
    /// <param name="kind">What is declared.</param>
    /// <param name="maxLengthBytes">How many bytes it may hold.</param>
    public static Dictionary<string, object?> ArgumentsOf(GatewayQueueKind kind, long maxLengthBytes) =>
        kind == GatewayQueueKind.Stream
            ? new(StringComparer.Ordinal)
            {
                [Headers.XQueueType] = "stream",
                [Headers.XMaxLengthInBytes] = maxLengthBytes,
                [Headers.XStreamMaxSegmentSizeInBytes] =
                    Math.Clamp(maxLengthBytes / SegmentsPerStream, MinSegmentBytes, MaxSegmentBytes),
            }
            : new(StringComparer.Ordinal)
            {
                [Headers.XQueueType] = "quorum",
                [Headers.XMaxLengthInBytes] = maxLengthBytes,

                // Without it, a full queue drops its oldest messages, which were confirmed.
                [Headers.XOverflow] = "reject-publish",
            };
}
