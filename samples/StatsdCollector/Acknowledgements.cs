using System.Buffers.Binary;
using Spate;
using Spate.Serving;

namespace StatsdCollector;

/// <summary>
/// Answers datagrams that ask for an acknowledgement, and recognizes those that are sent again, so that no line counts
/// twice. Such a datagram has 13 bytes before its lines, which the answer repeats: a 0, which no line begins with, a
/// random token of 8 bytes that names the sender, and a big-endian sequence number of 4 bytes.
/// </summary>
internal sealed class Acknowledgements
{
    public const int HeaderBytes = 13;

    /// <summary>A sender may have this many sequence numbers under way, from the oldest to the newest.</summary>
    public const int Window = 64;

    private const int TokenAt = 1;
    private const int SequenceAt = 9;

    private readonly SessionTable<Sender> _senders = new(new SessionTableOptions { MaxSessions = 10_000 });

    /// <summary>Finds the lines that count, and the acknowledgement to send afterwards.</summary>
    /// <returns>False if the sender is refused: there are too many. It sends the datagram again.</returns>
    public bool TryRead(
        in UdpEndPoint peer,
        ReadOnlySpan<byte> payload,
        out ReadOnlySpan<byte> lines,
        out ReadOnlySpan<byte> acknowledgement)
    {
        lines = payload;
        acknowledgement = default;
        if (payload.Length < HeaderBytes || payload[0] != 0) return true;

        lines = default;
        _senders.RemoveExpired();
        SessionAdmission admission = _senders.GetOrAdmit(peer, out SessionRef<Sender> sender);
        if (admission is not (SessionAdmission.Admitted or SessionAdmission.Known)) return false;

        ulong token = BinaryPrimitives.ReadUInt64BigEndian(payload[TokenAt..]);
        uint sequence = BinaryPrimitives.ReadUInt32BigEndian(payload[SequenceAt..]);
        if (admission == SessionAdmission.Admitted || sender.Value.Token != token)
        {
            // A new program at an old port begins with a token of its own.
            sender.Value = new Sender { Token = token, Newest = sequence - 1 };
        }

        acknowledgement = payload[..HeaderBytes];
        if (sender.Value.TryMark(sequence)) lines = payload[HeaderBytes..];
        return true;
    }

    /// <summary>The sequence numbers that were counted, among the newest 64.</summary>
    private struct Sender
    {
        public ulong Token;
        public uint Newest;
        private ulong _counted;   // bit n is for the sequence number Newest - n

        /// <summary>Marks a sequence number; false if it was counted, or is too old to know.</summary>
        public bool TryMark(uint sequence)
        {
            int ahead = (int)(sequence - Newest);   // numbers wrap
            if (ahead > 0)
            {
                _counted = ahead < Window ? _counted << ahead : 0;
                Newest = sequence;
            }

            if (ahead <= -Window) return false;
            ulong bit = 1UL << Math.Max(0, -ahead);
            bool isNew = (_counted & bit) == 0;
            _counted |= bit;
            return isNew;
        }
    }
}
