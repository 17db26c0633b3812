using System.Runtime.InteropServices;
using Spate.Measurement.Accounting;
using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Limits the answers to each peer, so that an exchange with a foreign echo server ends: a token bucket for each peer,
/// which holds a number of answers and is refilled by a hundredth of them per second. Used by one thread.
/// </summary>
/// <remarks>
/// <para>
/// Test data that is newer than everything the peer sent before costs nothing. An echo server sends back only copies of
/// older datagrams, so free answers cannot keep an exchange alive. "Newer" is a later time of sending, or a later
/// number of the same stream and time; neither ever goes back while the peer is known.
/// </para>
/// <para>
/// A peer is forgotten after <see cref="IdleLimit"/> without a datagram. A flood of forged peers fills the table, which
/// never evicts: the peers that do not fit share one bucket until peers are forgotten.
/// </para>
/// </remarks>
internal sealed class AnswerLimit
{
    /// <summary>The largest number of peers with a bucket of their own, per thread.</summary>
    public const int MaxPeerCount = 16_384;

    private const int SecondsToRefill = 100;
    private const long NanosecondsPerSecond = 1_000_000_000;

    private static readonly TimeSpan IdleLimit = TimeSpan.FromSeconds(10);

    private readonly SessionTable<Peer> _peers;
    private readonly long _answerNanoseconds;
    private readonly long _aheadNanoseconds;
    private Peer _others;

    /// <param name="answersPerPeer">The number of answers that a full bucket holds.</param>
    /// <param name="time">The clock that forgets peers.</param>
    /// <param name="maxPeers">The number of peers with a bucket of their own.</param>
    public AnswerLimit(int answersPerPeer, TimeProvider time, int maxPeers = MaxPeerCount)
    {
        _answerNanoseconds = Math.Max(1, SecondsToRefill * NanosecondsPerSecond / answersPerPeer);
        _aheadNanoseconds = (answersPerPeer - 1) * _answerNanoseconds;
        _peers = new SessionTable<Peer>(new SessionTableOptions
        {
            MaxSessions = maxPeers,
            IdleLimit = IdleLimit,
            NewSessionsPerSecond = null,
            NewSessionsPerSecondPerPrefix = null,
            TimeProvider = time,
        });
    }

    /// <summary>
    /// Whether the peer gets an answer to a datagram. Charges the peer's bucket unless the answer is free.
    /// </summary>
    /// <param name="peer">The peer.</param>
    /// <param name="payload">The datagram's payload.</param>
    /// <param name="nowNanoseconds">The present, by a monotonic clock.</param>
    public bool Allows(in UdpEndPoint peer, ReadOnlySpan<byte> payload, long nowNanoseconds)
    {
        bool isKnown = _peers.TryGet(in peer, out SessionRef<Peer> session)
            || _peers.TryAdmit(in peer, out session) == SessionAdmission.Admitted;
        ref Peer account = ref isKnown ? ref session.Value : ref _others;
        if (account.IsNewer(payload)) return true;
        if (account.PaidUntilNanoseconds - nowNanoseconds > _aheadNanoseconds) return false;
        account.PaidUntilNanoseconds = Math.Max(account.PaidUntilNanoseconds, nowNanoseconds) + _answerNanoseconds;
        return true;
    }

    /// <summary>Forgets idle peers, a few in each call. Call it once per batch.</summary>
    public void Age() => _peers.Age();

    /// <summary>The state of one peer, or of all peers that do not fit into the table.</summary>
    [StructLayout(LayoutKind.Auto)]
    private struct Peer
    {
        /// <summary>The time up to which answers are paid for; a full bucket's is not in the future.</summary>
        public long PaidUntilNanoseconds;

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
