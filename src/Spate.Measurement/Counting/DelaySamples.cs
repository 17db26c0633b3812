using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// The delays of received buffers, at most <see cref="MaxSamples"/>: when there are more, every second one is forgotten
/// and only every second further one is kept, so that those that are kept are spread evenly. Not thread-safe.
/// </summary>
internal sealed class DelaySamples
{
    public const int MaxSamples = 16384;

    private BufferDelay[]? _samples;
    private int _count;
    private int _stride = 1;
    private int _left = 1;

    /// <summary>Datagrams of which the delay was taken.</summary>
    public long Datagrams { get; private set; }

    /// <summary>Received buffers, or parts of them that one call sent.</summary>
    public long Buffers { get; private set; }

    /// <summary>Takes the delay of the datagrams of one buffer.</summary>
    public void Add(DelayFloor floor, long arrival, long delay, int datagrams)
    {
        Datagrams += datagrams;
        Buffers++;
        if (--_left > 0) return;
        _samples ??= new BufferDelay[MaxSamples];
        if (_count == MaxSamples) Thin();
        _samples[_count++] = new BufferDelay(floor, arrival, delay, datagrams);
        _left = _stride;
    }

    /// <summary>Gives every sample: how much it is over the fastest delay of its stream, and its weight.</summary>
    public void CopyTo(List<(long Over, double Weight)> samples)
    {
        foreach (ref readonly BufferDelay sample in _samples.AsSpan(0, _count))
        {
            samples.Add((sample.Floor.Over(sample.Arrival, sample.Delay), (double)sample.Datagrams * _stride));
        }
    }

    /// <summary>The streams, each with the number of its datagrams that the samples hold.</summary>
    public IEnumerable<(DelayFloor Floor, long Datagrams)> Floors() => (_samples ?? [])
        .Take(_count)
        .GroupBy(static sample => sample.Floor)
        .Select(static group => (group.Key, group.Sum(static sample => (long)sample.Datagrams)));

    private void Thin()
    {
        for (int i = 0; i < MaxSamples / 2; i++) _samples![i] = _samples[2 * i];
        Array.Clear(_samples!, MaxSamples / 2, MaxSamples / 2);
        _count = MaxSamples / 2;
        _stride *= 2;
    }

    [StructLayout(LayoutKind.Auto)]
    private readonly record struct BufferDelay(DelayFloor Floor, long Arrival, long Delay, int Datagrams);
}
