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
