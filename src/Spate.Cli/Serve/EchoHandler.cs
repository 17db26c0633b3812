using System.Runtime.CompilerServices;
using Spate.Serving;

namespace Spate.Cli.Serve;

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
    private readonly int? _answersPerPeer;
    private readonly TimeProvider _time;

    public EchoHandler(UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
        : base(shard, options.WorkRounds, limit, time)
    {
        // A sender with targets at two local end points sends two streams from one port.
        _limits = new AnswerLimit?[shard.LocalEndPoints.Count];
        _answersPerPeer = options.AnswersPerPeer;
        _time = time;
    }

    private enum Verdict
    {
        Free,
        Charged,
        LeftOut,
        WornOut,
    }

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        int localIndex = Shard.LocalEndPointIndex;
        int ownPort = Shard.LocalEndPoints[localIndex].Port;
        ref AnswerLimit? limit = ref _limits[localIndex];
        if (_answersPerPeer is { } answers) limit ??= new AnswerLimit(answers, _time);
        long now = ArrivalNanoseconds;

        // Datagrams that arrived in one coalesced buffer have one peer and one time to live: these are looked at once
        // per buffer.
        ref readonly UdpEndPoint peer = ref Unsafe.NullRef<UdpEndPoint>();
        ref readonly SendControl control = ref Controls[0];
        ref AnswerLimit.Account account = ref Unsafe.NullRef<AnswerLimit.Account>();
        Verdict verdict = Verdict.Free;
        foreach (Datagram datagram in batch)
        {
            Visit(datagram.Payload);
            if (!Unsafe.AreSame(in peer, in datagram.Peer))
            {
                peer = ref datagram.Peer;
                control = ref ControlFor(datagram.TimeToLive);
                verdict = VerdictOn(peer.Port, ownPort, datagram.TimeToLive, isLimited: limit is not null);
                if (verdict == Verdict.Charged) account = ref limit!.AccountOf(in peer);
            }

            // Behind newer data the rest of a buffer is newer too, unless it is forged.
            if (verdict == Verdict.Charged && account.IsNewer(datagram.Payload)) verdict = Verdict.Free;
            if (verdict == Verdict.LeftOut) Counters.CountUnanswered();
            else if (verdict == Verdict.WornOut) Counters.CountWornOut();
            else if (verdict == Verdict.Charged && !limit!.TryPay(ref account, now)) Counters.CountWithheld();
            else Forward(in datagram, in peer, in control, replies);
        }

        limit?.Age();
        return batch.Count;
    }

    private static Verdict VerdictOn(int port, int ownPort, int? timeToLive, bool isLimited)
    {
        if (port < FirstUnprivilegedPort || port == ownPort) return Verdict.LeftOut;
        if (timeToLive is 0 or 1) return Verdict.WornOut;
        return isLimited ? Verdict.Charged : Verdict.Free;
    }

    /// <summary>The control of an answer; the default one where the backend reports no time to live.</summary>
    private static ref readonly SendControl ControlFor(int? receivedTimeToLive) =>
        ref Controls[Math.Clamp(receivedTimeToLive ?? 0, 0, MaxTimeToLive + 1)];
}
