using System.Runtime.InteropServices;
using Spate.Measurement.Counting;
using Spate.Serving;

namespace Spate.Cli.Serve;

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
