using Spate.Serving.Lifetime;
using Spate.Serving.Shards;

namespace Spate.Serving;

/// <summary>
/// One thread of a <see cref="UdpServer"/>, as its handler and other threads see it. In the designs whose threads share
/// a socket each thread is a shard too.
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

    /// <summary>The shard's place among the server's threads, from 0.</summary>
    public int Index { get; }

    /// <summary>
    /// Whether all datagrams of a peer come to this thread, in the order of their arrival, as long as no thread is
    /// added or taken away. In a server whose only thread keeps peers but whose several threads would not, it becomes
    /// false as soon as threads are being added.
    /// </summary>
    public bool KeepsPeers => _plan.KeepsPeers;

    /// <summary>
    /// The addresses that the shard serves, in the order of <see cref="UdpServerOptions.LocalEndPoints"/>.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _thread.LocalEndPoints;

    /// <summary>
    /// The index in <see cref="LocalEndPoints"/> of the end point that the present batch came to. For the handler only.
    /// </summary>
    public int LocalIndex => _thread.LocalIndex;

    /// <summary>The server's figures for the meter.</summary>
    internal ServerMetrics Account => _plan.Account;

    /// <summary>
    /// The batch of replies that the socket of one local end point sends, for example in
    /// <see cref="UdpHandler.OnTick"/> of a server with several local end points. For the handler only.
    /// </summary>
    /// <param name="localIndex">Index in <see cref="LocalEndPoints"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public SendBatch RepliesAt(int localIndex) => _thread.QueueAt(localIndex).Replies;

    /// <summary>
    /// Sends replies now, for instance because their batch is full; afterwards the batch is empty. For the handler
    /// only.
    /// </summary>
    /// <param name="replies">A batch that a method of <see cref="UdpHandler"/> or <see cref="RepliesAt"/> gave.</param>
    /// <exception cref="ArgumentException">It is not one of this thread's reply batches.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller runs on another thread than the shard's: reply batches belong to that thread, and other threads send
    /// by <see cref="TryPost"/>.
    /// </exception>
    public void Flush(SendBatch replies) => _thread.Flush(replies);

    /// <summary>
    /// Makes a table for the handler's data about its peers. For the handler only, once per handler, since the table
    /// lives as long as the thread. When the thread ends (the server stops, the shard is taken away, or an exception
    /// ends the thread), all sessions end with <see cref="SessionEnd.Stopped"/>: on this thread, after
    /// <see cref="UdpHandler.OnStop"/> and before the handler is disposed.
    /// </summary>
    /// <param name="options">Limits and clock; null for the defaults.</param>
    /// <param name="ended">Called for every session that leaves; null: no call.</param>
    /// <exception cref="NotSupportedException">
    /// The server does not keep peers (<see cref="KeepsPeers"/>): a peer's datagrams would find a session on one thread
    /// and none on the next.
    /// </exception>
    public SessionTable<TSession> CreateSessionTable<TSession>(
        SessionTableOptions? options = null, SessionEnded<TSession>? ended = null)
    {
        if (!_plan.TryPromiseSessions())
        {
            throw new NotSupportedException(
                "The server's threads do not keep peers, so they cannot keep sessions: use the design Sharded with "
                + "Steering.FlowHash, or one thread.");
        }

        SessionTable<TSession> table = new(options ?? new(), ended, firstTick: 0, _plan.Account.Name);
        _plan.Account.Add(table);
        _thread.AtEnd(() => End(table));
        return table;
    }

    /// <summary>
    /// Lets this thread send a datagram, by the socket of a local end point. Any thread may call, at any time: the
    /// shard is woken if it sleeps. The payload is copied. Datagrams that are posted between two wake-ups are sent
    /// together.
    /// </summary>
    /// <param name="payload">The payload, which is copied.</param>
    /// <param name="peer">The address that the datagram goes to.</param>
    /// <param name="localIndex">Index in <see cref="LocalEndPoints"/>.</param>
    /// <returns>
    /// False if the thread has ended, or if 256 datagrams or 128 KiB are waiting already; then nothing is sent. True if
    /// the datagram will be sent or counted as refused or dropped (<see cref="UdpThreadStatistics"/>), even if the
    /// server stops meanwhile.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The index is out of range, or the payload is too long for a datagram.
    /// </exception>
    public bool TryPost(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int localIndex = 0) =>
        _thread.TryPost(payload, in peer, localIndex);

    // The table leaves the account even if the callback of a session throws.
    private void End<TSession>(SessionTable<TSession> table)
    {
        try
        {
            table.EndAll();
        }
        finally
        {
            _plan.Account.Remove(table);
        }
    }
}
