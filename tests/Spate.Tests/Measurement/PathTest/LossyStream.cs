using Spate.Measurement.Counting;
using Spate.Tests.Measurement.Counting;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>One stream through a <see cref="LossyRelay"/>: the fate of each of its datagrams, and the truth.</summary>
internal sealed class LossyStream
{
    /// <summary>Payload bytes of a datagram; a damaged bit lies in them.</summary>
    public const int SizeBytes = 64;

    private const int MaxDelayMilliseconds = 20;

    private readonly Copy[][] _copies;

    /// <param name="random">Decides everything.</param>
    /// <param name="total">The datagrams of the stream.</param>
    public LossyStream(Random random, int total)
    {
        // Two states, of which one loses much and the other little (Gilbert and Elliott).
        (double good, double bad) = (0.02 * random.NextDouble(), 0.2 + (0.7 * random.NextDouble()));
        double change = 0.05 * random.NextDouble();
        double damageShare = 0.03 * random.NextDouble();
        double copyShare = 0.05 * random.NextDouble();
        int maxDelay = random.Next(3) == 0 ? 1 : random.Next(1, MaxDelayMilliseconds);
        bool isBad = false;
        _copies = new Copy[total][];
        for (int i = 0; i < total; i++)
        {
            isBad ^= random.NextDouble() < change;
            int count = random.NextDouble() < (isBad ? bad : good) ? 0 : 1;
            while (count > 0 && random.NextDouble() < copyShare) count++;
            _copies[i] = [.. Enumerable.Range(0, count).Select(
                _ => new Copy(random.Next(maxDelay), DamagedBit(random, damageShare)))];
        }

        Truth = new ReferenceTracker(SequenceTracker.DefaultWindowSequences);
        Truth.Begin(0);
        Truth.Announce(total);
    }

    /// <summary>What must be counted.</summary>
    public ReferenceTracker Truth { get; }

    /// <summary>Damaged datagrams that were passed on.</summary>
    public long Corrupted { get; private set; }

    /// <summary>What comes out for a datagram: none where it is lost.</summary>
    public IReadOnlyList<Copy> CopiesOf(long sequence) => _copies[sequence];

    /// <summary>Notes that a datagram was passed on; -1 for a damaged one.</summary>
    public void Note(long sequence)
    {
        if (sequence < 0) Corrupted++;
        else Truth.Add(sequence);
    }

    /// <summary>A bit of the stream's number, of the checksum or of the payload; null for no damage.</summary>
    private static int? DamagedBit(Random random, double share)
    {
        if (random.NextDouble() >= share) return null;
        int bit = random.Next(8 * (8 + SizeBytes - TestDatagram.TimedHeaderBytes));
        return bit < 64 ? 64 + bit : bit - 64 + (8 * TestDatagram.TimedHeaderBytes);
    }

    /// <summary>A copy that comes out.</summary>
    /// <param name="DelayMilliseconds">How long it takes.</param>
    /// <param name="DamagedBit">The bit that is wrong; null for none.</param>
    public readonly record struct Copy(int DelayMilliseconds, int? DamagedBit);
}
