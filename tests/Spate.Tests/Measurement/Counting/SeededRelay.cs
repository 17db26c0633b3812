using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

/// <summary>
/// A path that loses, duplicates, reorders, damages and delays the datagrams of several streams as its random numbers
/// say, and knows what it did.
/// </summary>
internal sealed class SeededRelay
{
    /// <summary>How far the receiver's clock is ahead.</summary>
    private const long ClockOffset = 7_000_000_000;

    private readonly Random _random;
    private readonly List<Arrival> _arrivals = [];
    private readonly double _duplicateShare;
    private readonly double _damageShare;
    private readonly bool _checksums;
    private readonly int _jitterNanoseconds;

    /// <param name="random">Decides everything.</param>
    /// <param name="window">The window of the receiver.</param>
    /// <param name="reach">
    /// How far reordering goes: in every second relay to a quarter of this, otherwise up to three times this.
    /// </param>
    /// <param name="handshakes">Whether the receiver may know from a handshake where a stream begins and ends.</param>
    /// <param name="checksums">Whether the datagrams have checksums, which the receiver verifies.</param>
    public SeededRelay(Random random, int window, int reach, bool handshakes, bool checksums)
    {
        _random = random;
        _checksums = checksums;
        DeadlineNanoseconds = random.Next(2) == 0 ? long.MaxValue : 100 * random.Next(1, 20 * reach);
        _duplicateShare = Share(0.1);
        _damageShare = Share(0.05);

        // A datagram of a stream leaves every microsecond.
        _jitterNanoseconds = 1 + (1000 * (random.Next(2) == 0 ? reach / 4 : random.Next(3 * reach)));
        Streams = [.. Enumerable.Range(0, random.Next(1, 5))
            .Select(_ => new Stream(random, window, reach, handshakes, checksums))];
    }

    public IReadOnlyList<Stream> Streams { get; }

    /// <summary>Foreign datagrams, and those of which the magic was damaged.</summary>
    public long Others { get; private set; }

    /// <summary>Datagrams of which the version, the kind or the flags were damaged.</summary>
    public long Unknowns { get; private set; }

    /// <summary>Damaged datagrams that only the checksum tells.</summary>
    public long Corrupted { get; private set; }

    /// <summary>How much longer than the fastest of its stream a datagram may take.</summary>
    public long DeadlineNanoseconds { get; }

    /// <summary>Everything that comes out, in the order of arrival.</summary>
    public IReadOnlyList<Arrival> Run()
    {
        foreach (Stream stream in Streams) Send(stream);
        for (int i = _random.Next(20); i > 0; i--)
        {
            byte[] foreign = new byte[_random.Next(100)];
            Array.Fill(foreign, (byte)'x');
            _arrivals.Add(new Arrival(ClockOffset + _random.Next(1_000_000), foreign, null, 0));
        }

        Arrival[] sorted = [.. Received(_arrivals.OrderBy(static arrival => arrival.Nanoseconds))];
        foreach (Arrival arrival in sorted)
        {
            switch (Damage(arrival))
            {
                case TestDatagramKind.Data:
                    arrival.Stream!.Note(arrival);
                    break;
                case TestDatagramKind.End:
                    arrival.Stream!.Truth.Announce(arrival.Stream.Total);
                    arrival.Stream.IsHeard = arrival.Stream.IsEnded = true;
                    break;
                case TestDatagramKind.Unknown:
                    Unknowns++;
                    break;
                case TestDatagramKind.Corrupted:
                    Corrupted++;
                    break;
                default:
                    Others++;
                    break;
            }
        }

        return sorted;
    }

    private double Share(double max) => _random.Next(3) == 0 ? 0 : max * _random.NextDouble();

    private void Send(Stream stream)
    {
        long now = _random.Next(100_000);
        int maxPerCall = _random.Next(1, 100);
        int leftOfCall = 0;
        long stamp = 0;
        foreach (bool isLost in Losses(stream.Total))
        {
            long sequence = stream.Sent++;
            byte[] payload = new byte[stream.SizeOf(_random)];
            if (leftOfCall-- == 0) (leftOfCall, stamp) = (_random.Next(maxPerCall), now + 1);
            TestDatagram.WriteData(payload, stream.Id, sequence, stamp);
            if (_checksums) TestDatagram.WriteChecksum(payload);
            int copies = isLost ? 0 : 1;
            while (copies > 0 && _random.NextDouble() < _duplicateShare) copies++;
            for (int i = 0; i < copies; i++)
            {
                _arrivals.Add(ArrivalOf(now, stamp, [.. payload], stream, sequence));
            }

            now += 1000;
        }

        for (int copies = stream.EndCopies; copies > 0; copies--)
        {
            byte[] payload = new byte[_checksums
                ? TestDatagram.ChecksummedHeaderBytes
                : TestDatagram.TimedHeaderBytes];
            TestDatagram.WriteEnd(payload, stream.Id, stream.Total, stamp + 1);
            if (_checksums) TestDatagram.WriteChecksum(payload);
            _arrivals.Add(ArrivalOf(now, stamp + 1, payload, stream, -1));
        }
    }

    private Arrival ArrivalOf(long now, long sent, byte[] payload, Stream stream, long sequence) =>
        new(now + ClockOffset + _random.Next(_jitterNanoseconds), payload, stream, sequence) { Sent = sent };

    /// <summary>The calls that receive: datagrams of one call have one time of arrival.</summary>
    private IEnumerable<Arrival> Received(IEnumerable<Arrival> sorted)
    {
        int maxPerCall = _random.Next(1, 100);
        int leftOfCall = 0;
        long now = 0;
        foreach (Arrival arrival in sorted)
        {
            if (leftOfCall-- == 0) (leftOfCall, now) = (_random.Next(maxPerCall), arrival.Nanoseconds);
            yield return arrival with { Nanoseconds = now };
        }
    }

    /// <summary>Two states, of which one loses much and the other little (Gilbert and Elliott).</summary>
    private IEnumerable<bool> Losses(long total)
    {
        (double good, double bad) = (Share(0.05), _random.NextDouble());
        double change = 0.2 * _random.NextDouble();
        bool isBad = _random.Next(8) == 0;
        for (long i = 0; i < total; i++)
        {
            isBad ^= _random.NextDouble() < change;
            yield return _random.NextDouble() < (isBad ? bad : good);
        }
    }

    /// <summary>Damages some of the datagrams, and tells what each one is then.</summary>
    private TestDatagramKind Damage(Arrival arrival)
    {
        if (arrival.Stream is null) return TestDatagramKind.Other;
        TestDatagramKind kind = arrival.Sequence < 0 ? TestDatagramKind.End : TestDatagramKind.Data;
        if (_random.NextDouble() >= _damageShare) return kind;

        // Without checksums, damage behind the first eight bytes is not noticed: none is done there.
        byte[] payload = arrival.Payload;
        int bit = _random.Next(_checksums ? 8 * payload.Length : 64);
        payload[bit / 8] ^= (byte)(1 << (bit % 8));
        bool isOverRange = bit / 8 is 16 or 24 && bit % 8 >= 6;
        return bit switch
        {
            < 32 => TestDatagramKind.Other,

            // The flag of the checksum. Data without one is not taken; without verification nobody looks at it.
            56 when _checksums => kind == TestDatagramKind.Data ? TestDatagramKind.Corrupted : kind,
            56 when payload.Length >= TestDatagram.ChecksummedHeaderBytes => kind,
            < 64 => TestDatagramKind.Unknown,
            _ => isOverRange ? TestDatagramKind.Unknown : TestDatagramKind.Corrupted,
        };
    }

    /// <summary>A payload that comes out; the stream is null for a foreign one, the sequence -1 for an end.</summary>
    public sealed record Arrival(long Nanoseconds, byte[] Payload, Stream? Stream, long Sequence)
    {
        public long Sent { get; init; }
    }

    /// <summary>One stream that goes into the relay, and what must be counted of it.</summary>
    public sealed class Stream
    {
        private readonly int _minBytes;
        private readonly int _maxBytes;
        private readonly List<long> _delays = []; // of first copies
        private long _fastest = long.MaxValue;

        public Stream(Random random, int window, int reach, bool handshakes, bool checksums)
        {
            Id = (ulong)random.NextInt64();
            Total = random.Next(8) == 0 ? random.Next(3) : random.Next(8 * reach);
            IsHandshaken = handshakes && random.Next(2) == 0;
            EndCopies = random.Next(4);
            _minBytes = random.Next(
                checksums ? TestDatagram.ChecksummedHeaderBytes : TestDatagram.HeaderBytes, 60);
            _maxBytes = random.Next(2) == 0 ? _minBytes : _minBytes + random.Next(100);
            Truth = new ReferenceTracker(window);
            if (IsHandshaken) Truth.Begin(0);
        }

        public ulong Id { get; }

        public long Total { get; }

        public long Sent { get; set; }

        /// <summary>Whether the receiver knows from a handshake where the stream begins and ends.</summary>
        public bool IsHandshaken { get; }

        public int EndCopies { get; }

        public ReferenceTracker Truth { get; }

        /// <summary>The different sequences of which an undamaged copy came out.</summary>
        public HashSet<long> Delivered { get; } = [];

        public long Bytes { get; private set; }

        public bool IsHeard { get; set; }

        public bool IsEnded { get; set; }

        public int SizeOf(Random random) => random.Next(_minBytes, _maxBytes + 1);

        /// <summary>The first copies that took longer over the fastest one.</summary>
        public int CountOver(long nanoseconds) => _delays.Count(delay => delay - _fastest > nanoseconds);

        public void Note(Arrival arrival)
        {
            Delivered.Add(arrival.Sequence);
            Bytes += arrival.Payload.Length;
            IsHeard = true;
            bool isUnique = Truth.Add(arrival.Sequence);
            if (arrival.Payload.Length < TestDatagram.TimedHeaderBytes) return;
            long delay = arrival.Nanoseconds - arrival.Sent;
            _fastest = Math.Min(_fastest, delay);
            if (isUnique) _delays.Add(delay);
        }
    }
}
