using System.Net;
using System.Net.Sockets;
using RabbitMQ.Client;
using Spate.Gateway.Escaping;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// Opens connections to a broker, one host at a time, with the same options for gateways and readers.
/// </summary>
/// <param name="target">The broker; not <see cref="GatewayTarget.Discard"/>.</param>
/// <param name="credentials">The user and the password.</param>
/// <param name="tls">The check of certificates; used where the target has TLS.</param>
/// <param name="name">What the broker shows as the connection's name.</param>
internal sealed class RabbitConnector(
    GatewayTarget target, GatewayCredentials credentials, RabbitTls tls, string name)
{
    // The client ends a connection after some three intervals without a sign of life.
    private static readonly TimeSpan Heartbeat = TimeSpan.FromSeconds(5);

    // A host that does not answer must not keep the others from being tried.
    private static readonly TimeSpan AttemptTimeout = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The longest message that is taken as a rule, eight times the largest pack. The client's default, 64 MB for each
    /// message that is sent ahead, costs gigabytes.
    /// </summary>
    public const uint MaxInboundBytes = 8 << 20;

    // The declaration of a stream of three replicas takes some hundred milliseconds.
    private static readonly TimeSpan CallTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Connects to a host.</summary>
    /// <param name="host">The host, one of the target's.</param>
    /// <param name="maxInboundBytes">The longest message that is taken. A longer one ends the connection.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="GatewayException">The broker cannot be reached, or refuses.</exception>
    /// <exception cref="OperationCanceledException">The attempt was ended.</exception>
    public async Task<RabbitConnection> OpenAsync(
        DnsEndPoint host, uint maxInboundBytes, CancellationToken cancellationToken)
    {
        RabbitTls.CertificateCheck? check = null;
        SslOption ssl = target.UsesTls ? tls.OptionsFor(host.Host, out check) : new SslOption();
        var sockets = new RabbitSockets();
        var factory = new ConnectionFactory
        {
            UserName = credentials.User,
            Password = credentials.Password,
            VirtualHost = target.VirtualHost,

            // The library's recovery tries the configured host alone, and never publishes again what was in flight.
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = Heartbeat,
            RequestedConnectionTimeout = AttemptTimeout,
            HandshakeContinuationTimeout = AttemptTimeout,
            ContinuationTimeout = CallTimeout,
            SocketFactory = sockets.Open,
            MaxInboundMessageBodySize = maxInboundBytes,
        };

        // The client's own limit ends with TCP's handshake: a host that is frozen then would hold the attempt for ever.
        // Without its socket the client ends at once, and otherwise some seconds after the token.
        using var attempt = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        attempt.CancelAfter(AttemptTimeout);
        using CancellationTokenRegistration cut = attempt.Token.UnsafeRegister(
            static opened => ((RabbitSockets)opened!).Close(), sockets);
        try
        {
            IConnection connection = await factory.CreateConnectionAsync(
                [new AmqpTcpEndpoint(host.Host, host.Port, ssl)], name, attempt.Token).ConfigureAwait(false);
            return new RabbitConnection(connection, sockets, OneLine.Of(GatewayTarget.TextOf(host)));
        }
        catch (Exception fault)
        {
            sockets.Close();

            // Ended by the caller, the client may say that no host was reached.
            cancellationToken.ThrowIfCancellationRequested();
            throw RabbitFaults.OfOpening(
                attempt.IsCancellationRequested ? new TimeoutException() : fault, host, credentials.User, check?.Fault);
        }
    }
}

/// <summary>
/// An open connection with the sockets under it, so that it can be ended whatever the broker does: the client waits for
/// a write that a frozen peer never takes, and keeps its copies of messages as long.
/// </summary>
internal sealed class RabbitConnection(IConnection connection, RabbitSockets sockets, string host)
{
    /// <summary>The host and port, escaped.</summary>
    public string Host => host;

    public IConnection Connection => connection;

    /// <summary>Ends it at once. Calls that wait for the broker throw.</summary>
    public void Cut() => sockets.Close();

    /// <summary>
    /// Ends it, lost or not, and waits for the broker's answer no longer than told. Throws nothing: what is to be told
    /// was told when the connection was lost.
    /// </summary>
    public async Task EndAsync(TimeSpan patience)
    {
        await Task.WhenAny(SayGoodbyeAsync(), Task.Delay(patience)).ConfigureAwait(false);
        sockets.Close();
    }

    // A broker that is stopped lets the client wait for five seconds, whatever time is given.
    private async Task SayGoodbyeAsync()
    {
        try
        {
            await connection.CloseAsync(
                Constants.ReplySuccess, "done", TimeSpan.FromSeconds(1), abort: true, CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The connection is gone either way.
        }

        try
        {
            await connection.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Likewise.
        }
    }
}

/// <summary>The sockets that the client opens for one connection. Any thread may call.</summary>
internal sealed class RabbitSockets
{
    private readonly Lock _lock = new();
    private readonly List<ITcpClient> _sockets = [];
    private bool _isClosed;

    /// <summary>Makes a socket as the client does, and remembers it.</summary>
    public ITcpClient Open(AddressFamily family)
    {
        ITcpClient socket = ConnectionFactoryBase.DefaultSocketFactory(family);
        lock (_lock)
        {
            _sockets.Add(socket);
            if (_isClosed) socket.Close();
        }

        return socket;
    }

    /// <summary>Closes all of them, and those that come later.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _isClosed = true;
            foreach (ITcpClient socket in _sockets) socket.Close();
            _sockets.Clear();
        }
    }
}
