using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Sends each datagram back to its peer. A forged source address could make two servers answer each other without end
/// (CERT advisory CA-1996-01). So an answer has a smaller time to live than its request, a peer gets a bounded number
/// of answers, and two kinds of ports get none: those of old services, below 1024, and the server's own port.
/// </summary>
internal sealed class EchoHandler : AppHandler
{
    private const int FirstUnprivilegedPort = 1024;

    /// <summary>
    /// The largest time to live of an answer: the default of hosts (RFC 1700). It also ends an exchange of two such
    /// servers after 64 answers, whatever the time to live of the forged datagram.
    /// </summary>
    private const int MaxTimeToLive = 64;

    // The index is the received time to live, up to the last one, which stands for all larger ones.
    private static readonly SendControl[] Controls = [.. Enumerable.Range(0, MaxTimeToLive + 2)
        .Select(static received => new SendControl { TimeToLive = received > 1 ? received - 1 : null })];

    private readonly AnswerLimit?[] _limits;

    /// <param name="shard">The thread.</param>
    /// <param name="options">The rounds of work and the answers per peer.</param>
    /// <param name="limit">Ends the run after a number of datagrams.</param>
    /// <param name="time">The clock.</param>
    public EchoHandler(UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
        : base(shard, options.WorkRounds, limit, time)
    {
        // A sender with targets at two local end points sends two streams from one port.
        _limits = new AnswerLimit?[shard.LocalEndPoints.Count];
        if (options.AnswersPerPeer is not { } answers) return;
        int maxPeers = AnswerLimit.MaxPeerCount / _limits.Length;
        for (int i = 0; i < _limits.Length; i++) _limits[i] = new AnswerLimit(answers, time, maxPeers);
    }

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        int ownPort = Shard.LocalEndPoints[Shard.LocalIndex].Port;
        AnswerLimit? limit = _limits[Shard.LocalIndex];
        long now = ArrivalNanoseconds;
        foreach (Datagram datagram in batch)
        {
            Visit(datagram.Payload);
            ref readonly UdpEndPoint peer = ref datagram.Peer;
            int timeToLive = datagram.TimeToLive;
            if (peer.Port < FirstUnprivilegedPort || peer.Port == ownPort) Tally.CountUnanswered();
            else if (timeToLive is 0 or 1) Tally.CountWornOut();
            else if (limit?.Allows(in peer, datagram.Payload, now) == false) Tally.CountWithheld();
            else Forward(datagram, in peer, in ControlFor(timeToLive), replies);
        }

        limit?.Age();
        return batch.Count;
    }

    /// <summary>The control of an answer; the default one where the backend reports no time to live (-1).</summary>
    private static ref readonly SendControl ControlFor(int receivedTimeToLive) =>
        ref Controls[Math.Clamp(receivedTimeToLive, 0, MaxTimeToLive + 1)];
}
