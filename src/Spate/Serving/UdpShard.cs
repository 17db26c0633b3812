using Spate.Serving.Lifetime;
using Spate.Serving.Shards;

namespace Spate.Serving;

/// <summary>
/// A shard: one thread of a <see cref="UdpServer"/> that runs a handler. The handler and other threads use the shard
/// through this object. In the designs whose threads share a socket, each thread that runs a handler is a shard too.
/// </summary>
public sealed class UdpShard
{
    private readonly ShardThread _thread;
    private readonly ResolvedServerOptions _plan;

    internal UdpShard(ShardThread thread, int index, ResolvedServerOptions plan)
    {
        _thread = thread;
        _plan = plan;
        Index = index;
    }

    /// <summary>The index of the shard among the shards of the server, from 0.</summary>
    public int Index { get; }

    /// <summary>
    /// Whether all datagrams of a peer come to this thread, in the order of their arrival, as long as no thread is
    /// added or taken away. Some servers keep peers only with a single thread. In these servers the value becomes false
    /// as soon as threads are being added.
    /// </summary>
    public bool KeepsPeers => _plan.KeepsPeers;

    /// <summary>
    /// The addresses that the shard serves, in the order of <see cref="UdpServerOptions.LocalEndPoints"/>.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _thread.LocalEndPoints;

    /// <summary>
    /// The index, in <see cref="LocalEndPoints"/>, of the local end point that received the present batch. Only the
    /// handler may read the property.
    /// </summary>
    public int LocalEndPointIndex => _thread.LocalEndPointIndex;

    /// <summary>The server's figures for the meter <c>Spate</c>.</summary>
    internal ServerMetrics Account => _plan.Account;

    /// <summary>
    /// Returns the batch of replies that is sent through the socket of one local end point. This is needed, for
    /// example, in <see cref="UdpHandler.OnTick"/> of a server with several local end points. Only the handler may call
    /// the method.
    /// </summary>
    /// <param name="localEndPointIndex">The index of the end point in <see cref="LocalEndPoints"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public SendBatch GetReplies(int localEndPointIndex) => _thread.QueueAt(localEndPointIndex).Replies;

    /// <summary>
    /// Sends replies now, for instance because their batch is full; afterwards the batch is empty. Only the handler may
    /// call the method.
    /// </summary>
    /// <param name="replies">
    /// A batch that a method of <see cref="UdpHandler"/> received, or that <see cref="GetReplies"/> returned.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="replies"/> is null.</exception>
    /// <exception cref="ArgumentException">The batch is not one of this thread's reply batches.</exception>
    /// <exception cref="InvalidOperationException">
    /// The handler did not make the call. Other code sends by
    /// <see cref="TryEnqueue(ReadOnlySpan{byte}, in UdpEndPoint, int)"/>.
    /// </exception>
    public void Flush(SendBatch replies) => _thread.Flush(replies);

    /// <summary>
    /// Makes a table for the handler's data about its peers. Call the method only in the handler, and once per handler,
    /// because the table lives as long as the thread. When the thread ends (the server stops, the shard is taken away,
    /// or an exception ends the thread), all sessions end with <see cref="SessionEndReason.Stopped"/>. The sessions end
    /// on this thread, after <see cref="UdpHandler.OnStop"/> and before the handler is disposed.
    /// </summary>
    /// <param name="options">The limits and the clock; null for the defaults.</param>
    /// <param name="ended">Called for every session that ends; null for no call.</param>
    /// <exception cref="NotSupportedException">
    /// The server does not keep peers (<see cref="KeepsPeers"/>), so one thread would find a peer's session and the
    /// next thread would not.
    /// </exception>
    public SessionTable<TSession> CreateSessionTable<TSession>(
        SessionTableOptions? options = null, SessionEndedCallback<TSession>? ended = null)
    {
        if (!_plan.TryPromiseSessions())
        {
            throw new NotSupportedException(
                "The server's threads do not keep peers, so they cannot keep sessions: "
                + $"{ResolvedServerOptions.HowToKeepPeers}.");
        }

        options ??= new SessionTableOptions();
        options = options with { TimeProvider = options.TimeProvider ?? _plan.Options.Socket.TimeProvider };
        SessionTable<TSession> table = new(options, ended, firstTick: 0, _plan.Account.Name);
        _plan.Account.Add(table);
        _thread.AtEnd(() => table.Clear());
        _thread.AtEnd(() => _plan.Account.Remove(table));
        return table;
    }

    /// <summary>
    /// Lets this shard's thread send a datagram, through the socket of a local end point. Any thread may call the
    /// method, at any time; the shard's thread is woken if it sleeps. The payload is copied. Datagrams that are
    /// enqueued between two wake-ups are sent together.
    /// </summary>
    /// <param name="payload">The payload, which is copied.</param>
    /// <param name="peer">The peer to which the datagram is sent.</param>
    /// <param name="localEndPointIndex">The index of the end point in <see cref="LocalEndPoints"/>.</param>
    /// <returns>
    /// False if the datagram will not be sent, because the thread has ended or because too much is waiting: at most 256
    /// datagrams and 128 KiB wait for each local end point. True if the datagram will be sent, or counted as refused or
    /// dropped (<see cref="UdpThreadStatistics"/>), even if the server stops meanwhile.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The index is out of range, or the payload is too long for a datagram.
    /// </exception>
    public bool TryEnqueue(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int localEndPointIndex = 0) =>
        _thread.TryEnqueue(payload, in peer, default, localEndPointIndex);

    /// <summary>
    /// Lets this shard's thread send a datagram that has send options of its own. If the socket does not support the
    /// options, the datagrams that are sent together with it are dropped and counted
    /// (<see cref="UdpThreadStatistics.RepliesDropped"/>).
    /// </summary>
    /// <inheritdoc cref="TryEnqueue(ReadOnlySpan{byte}, in UdpEndPoint, int)" path="/*[not(self::param)]"/>
    /// <param name="payload">The payload, which is copied.</param>
    /// <param name="peer">The peer to which the datagram is sent.</param>
    /// <param name="control">The send options, for instance the source address.</param>
    /// <param name="localEndPointIndex">The index of the end point in <see cref="LocalEndPoints"/>.</param>
    /// <exception cref="ArgumentException">
    /// <see cref="SendControl.LocalAddress"/> is not of the peer's family.
    /// </exception>
    public bool TryEnqueue(
        ReadOnlySpan<byte> payload, in UdpEndPoint peer, in SendControl control, int localEndPointIndex = 0) =>
        _thread.TryEnqueue(payload, in peer, in control, localEndPointIndex);
}
