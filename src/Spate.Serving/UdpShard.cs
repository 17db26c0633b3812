using Spate.Serving.Lifetime;
using Spate.Serving.Shards;

namespace Spate.Serving;

/// <summary>
/// One thread of a <see cref="UdpServer"/>, as its handler and other threads see it. In the designs whose threads
/// share a socket there is one per thread as well.
/// </summary>
public sealed class UdpShard
{
    private readonly ShardThread _thread;
    private readonly ServerPlan _plan;

    internal UdpShard(ShardThread thread, int index, ServerPlan plan)
    {
        _thread = thread;
        _plan = plan;
        Index = index;
    }

    /// <summary>The shard's place among the server's threads, from 0.</summary>
    public int Index { get; }

    /// <summary>
    /// Whether all datagrams of a peer come to this thread, in the order of their arrival, as long as no thread is
    /// added or taken away. Where one thread keeps them and more would not, false from when threads are being added.
    /// </summary>
    public bool KeepsPeers => _plan.KeepsPeers;

    /// <summary>
    /// The addresses that the shard serves, in the order of <see cref="UdpServerOptions.LocalEndPoints"/>.
    /// </summary>
    public IReadOnlyList<UdpEndPoint> LocalEndPoints => _thread.LocalEndPoints;

    /// <summary>
    /// Which of <see cref="LocalEndPoints"/> the batch that is being handled came to. For the handler only.
    /// </summary>
    public int LocalIndex => _thread.LocalIndex;

    /// <summary>
    /// The replies that leave by the socket of one local end point. For handlers of servers with several local end
    /// points, in <see cref="UdpHandler.OnTick"/>. For the handler only.
    /// </summary>
    /// <param name="localIndex">Index in <see cref="LocalEndPoints"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such local end point.</exception>
    public SendBatch RepliesAt(int localIndex) => _thread.QueueAt(localIndex).Replies;

    /// <summary>
    /// Sends replies now, for instance because their batch is full; afterwards it is empty. For the handler only.
    /// </summary>
    /// <param name="replies">A batch that a method of <see cref="UdpHandler"/> or <see cref="RepliesAt"/> gave.</param>
    /// <exception cref="ArgumentException">It is not one of this thread's reply batches.</exception>
    public void Flush(SendBatch replies) => _thread.Flush(replies);

    /// <summary>
    /// Makes a table for what the handler keeps about its peers. For the handler only. When the thread ends, because
    /// the server stops, the shard is taken away or something fails, its sessions end with
    /// <see cref="SessionEnd.Stopped"/>: on this thread, after <see cref="UdpHandler.OnStop"/> and before the handler
    /// is disposed. It lives as long as the thread: make it once per handler.
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
                "The server's threads do not keep peers, so none can keep sessions: use the design Sharded with "
                + "Steering.FlowHash, or one thread.");
        }

        SessionTable<TSession> table = new(options, ended);
        _thread.AtEnd(() => table.EndAll());
        return table;
    }

    /// <summary>
    /// Has a datagram sent by this thread, by the socket of a local end point. Any thread may call, at any time: the
    /// shard is woken if it sleeps. The payload is copied; what is posted between two wake-ups leaves together.
    /// </summary>
    /// <param name="payload">The payload, which is copied.</param>
    /// <param name="peer">The address that the datagram goes to.</param>
    /// <param name="localIndex">Index in <see cref="LocalEndPoints"/>.</param>
    /// <returns>
    /// False if the thread has ended, or 256 datagrams or 128 KiB are waiting already; nothing is sent then. True: it
    /// is sent or counted (<see cref="UdpThreadStatistics"/>), also where the server stops meanwhile.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// There is no such local end point, or the payload is too long for a datagram.
    /// </exception>
    public bool TryPost(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int localIndex = 0) =>
        _thread.TryPost(payload, in peer, localIndex);
}
