using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Cli.Traffic;
using Spate.Measurement.Counting;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// Sends each datagram back to its peer. A forged source address could make two servers answer each other without end
/// (CERT advisory CA-1996-01). So an answer has a smaller time to live than its request, a peer gets a bounded number
/// of answers, and two kinds of ports get none: those of old services, below 1024, and the server's own port.
/// </summary>
internal sealed class EchoHandler(UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
    : AppHandler(shard, options, limit, time)
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

    // A sender with targets at two local end points sends two streams from one port.
    private readonly AnswerLimit?[] _limits = new AnswerLimit?[shard.LocalEndPoints.Count];
    private readonly int? _answersPerPeer = options.AnswersPerPeer;
    private readonly TimeProvider _time = time;

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
        ref AnswerLimit? answerLimit = ref _limits[localIndex];
        if (_answersPerPeer is { } answers) answerLimit ??= new AnswerLimit(answers, _time);
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
                verdict = VerdictOn(peer.Port, ownPort, datagram.TimeToLive, isLimited: answerLimit is not null);
                if (verdict == Verdict.Charged) account = ref answerLimit!.AccountOf(in peer);
            }

            // Behind newer data the rest of a buffer is newer too, unless it is forged.
            if (verdict == Verdict.Charged && account.IsNewer(datagram.Payload)) verdict = Verdict.Free;
            if (verdict == Verdict.LeftOut) Counters.CountUnanswered();
            else if (verdict == Verdict.WornOut) Counters.CountWornOut();
            else if (verdict == Verdict.Charged && !answerLimit!.TryPay(ref account, now)) Counters.CountWithheld();
            else Shard.Forward(in datagram, in peer, in control, replies);
        }

        answerLimit?.Age();
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

/// <summary>
/// Limits the answers to each peer, so that an exchange with another echo server ends: after its answers a peer gets
/// none for a second, and then twice as many as the time before. Used by one thread.
/// <para>
/// A withheld answer ends the exchange of its datagram for good. So the pause ends every exchange whose round trip is
/// shorter, however few answers per second it has. What arrives after the pause is not a reply to an answer of ours.
/// </para>
/// <para>
/// Test data that is newer than everything the peer sent before costs nothing. An echo server sends back only copies of
/// older datagrams, so free answers cannot keep an exchange alive. "Newer" is a later time of sending, or a later
/// number of the same stream and time; neither ever goes back while the peer is known.
/// </para>
/// <para>
/// A peer is forgotten after <see cref="IdleTimeout"/> without a datagram. A flood of forged peers fills the table,
/// which never evicts: the peers that do not fit share one account until peers are forgotten.
/// </para>
/// </summary>
internal sealed class AnswerLimit
{
    public const int MaxPeerCount = 16_384;

    private const long PauseNanoseconds = 1_000_000_000;

    private static readonly TimeSpan IdleTimeout = TimeSpan.FromSeconds(10);

    private readonly SessionTable<Account> _peers;
    private readonly int _answersPerPeer;
    private Account _others;

    public AnswerLimit(int answersPerPeer, TimeProvider time, int maxPeers = MaxPeerCount)
    {
        _answersPerPeer = answersPerPeer;
        _peers = new SessionTable<Account>(new SessionTableOptions
        {
            MaxSessions = maxPeers,
            IdleTimeout = IdleTimeout,
            NewSessionsPerSecond = null,
            NewSessionsPerSecondPerPrefix = null,
            TimeProvider = time,
        });
    }

    /// <summary>The account of a peer, valid until the next call of this method or of <see cref="Age"/>.</summary>
    public ref Account AccountOf(in UdpEndPoint peer)
    {
        bool isKnown = _peers.TryGet(in peer, out SessionRef<Account> session)
            || _peers.GetOrAdmit(in peer, out session) == SessionAdmission.Admitted;
        return ref isKnown ? ref session.Value : ref _others;
    }

    /// <summary>Charges an account for an answer; false while it pauses.</summary>
    /// <param name="nowNanoseconds">The present, by a monotonic clock.</param>
    public bool TryPay(ref Account account, long nowNanoseconds)
    {
        if (account.AnswersLeft == 0)
        {
            if (account.Grant > 0 && nowNanoseconds < account.PausedUntilNanoseconds) return false;
            account.Grant = account.Grant == 0
                ? _answersPerPeer
                : (int)Math.Min(2L * account.Grant, ServeOptions.MaxAnswersPerPeer);
            account.AnswersLeft = account.Grant;
        }

        account.AnswersLeft--;
        if (account.AnswersLeft == 0) account.PausedUntilNanoseconds = nowNanoseconds + PauseNanoseconds;
        return true;
    }

    /// <summary>Forgets idle peers, a few in each call. Call it once per batch.</summary>
    public void Age() => _peers.RemoveExpired();

    /// <summary>The state of one peer, or of all peers that do not fit into the table.</summary>
    [StructLayout(LayoutKind.Auto)]
    internal struct Account
    {
        /// <summary>The answers before the next pause.</summary>
        public int AnswersLeft;

        /// <summary>The answers from one pause to the next; 0 before the first answer.</summary>
        public int Grant;

        /// <summary>Where no answers are left: when there are new ones.</summary>
        public long PausedUntilNanoseconds;

        private long _sentNanoseconds;
        private long _sequence;
        private ulong _streamId;
        private bool _hasStream;

        /// <summary>
        /// Whether the payload is test data that cannot be a copy of an earlier one, and notes it. The first test data
        /// of a peer proves nothing and is only noted.
        /// </summary>
        public bool IsNewer(ReadOnlySpan<byte> payload)
        {
            if (!TestDatagram.TryRead(payload, out TestDatagram datagram) || datagram.Kind != TestDatagramKind.Data)
            {
                return false;
            }

            bool isNewer = datagram.SentNanoseconds > _sentNanoseconds
                || (datagram.SentNanoseconds == _sentNanoseconds && datagram.StreamId == _streamId
                    && datagram.Sequence > _sequence);
            if (!isNewer && _hasStream) return false;
            bool isFree = _hasStream;
            _hasStream = true;
            _sentNanoseconds = datagram.SentNanoseconds;
            _streamId = datagram.StreamId;
            _sequence = datagram.Sequence;
            return isFree;
        }
    }
}
