using System.Diagnostics.CodeAnalysis;

namespace Spate.Trains;

/// <summary>
/// Segments that leave in one call: all of <see cref="SegmentBytes"/> but the last. Its slices hold whole datagrams.
/// </summary>
internal struct Train
{
    public int FirstSlice;
    public int LastSlice;
    public int SliceCount;
    public int SegmentBytes;
    public int SegmentCount;
    public int LastBytes;
    public int TotalBytes;

    /// <summary>The run whose peer and control hold for the train, counted since the plan was cleared.</summary>
    public int RunIndex;
}

/// <summary>Bytes of a train that lie side by side.</summary>
internal struct TrainSlice
{
    public int BufferIndex;
    public int OffsetBytes;
    public int LengthBytes;

    /// <summary>The train's next slice, or <see cref="TrainPlan.None"/>.</summary>
    public int Next;
}

/// <summary>
/// The trains of a batch in sending order. Storage is kept and used again; it grows with use up to a bound.
/// </summary>
internal sealed class TrainPlan
{
    public const int None = -1;

    private const int InitialCount = 64;

    private readonly int _capacity;
    private Train[] _trains;
    private TrainSlice[] _slices;
    private int _trainCount;
    private int _sliceCount;
    private int _runCount;

    /// <param name="capacity">The most datagrams that are ever planned between two calls of Clear.</param>
    public TrainPlan(int capacity)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(capacity);
        _capacity = capacity;
        _trains = new Train[Math.Min(capacity, InitialCount)];
        _slices = new TrainSlice[Math.Min(capacity, InitialCount)];
        OpenTrains = new OpenTrainTable(capacity);
    }

    public int Capacity => _capacity;

    public ReadOnlySpan<Train> Trains => _trains.AsSpan(0, _trainCount);

    public ReadOnlySpan<TrainSlice> Slices => _slices.AsSpan(0, _sliceCount);

    internal OpenTrainTable OpenTrains { get; }

    public void Clear()
    {
        _trainCount = 0;
        _sliceCount = 0;
        _runCount = 0;
    }

    /// <summary>Counts runs in.</summary>
    /// <returns>The first one's index, as <see cref="Train.RunIndex"/> counts.</returns>
    internal int CountRuns(int runCount)
    {
        int firstIndex = _runCount;
        _runCount += runCount;
        return firstIndex;
    }

    internal ref Train TrainAt(int index) => ref _trains[index];

    internal ref TrainSlice SliceAt(int index) => ref _slices[index];

    /// <summary>Opens a train without slices whose segments are as large as its first datagram.</summary>
    internal int AddTrain(int runIndex, int segmentBytes)
    {
        int index = _trainCount;
        if (index == _trains.Length)
        {
            _trains = Grown(_trains);
        }

        ref Train train = ref _trains[index];
        train = default;
        train.FirstSlice = None;
        train.LastSlice = None;
        train.SegmentBytes = segmentBytes;
        train.LastBytes = segmentBytes;
        train.RunIndex = runIndex;
        _trainCount = index + 1;
        return index;
    }

    /// <summary>Puts bytes at the end of a train, into its last slice if they lie right behind that.</summary>
    internal void AddBytes(ref Train train, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        if (Adjoins(in train, bufferIndex, offsetBytes))
        {
            _slices[train.LastSlice].LengthBytes += lengthBytes;
            return;
        }

        int index = _sliceCount;
        if (index == _slices.Length)
        {
            _slices = Grown(_slices);
        }

        _slices[index] = new TrainSlice
        {
            BufferIndex = bufferIndex,
            OffsetBytes = offsetBytes,
            LengthBytes = lengthBytes,
            Next = None,
        };
        if (train.SliceCount == 0)
        {
            train.FirstSlice = index;
        }
        else
        {
            _slices[train.LastSlice].Next = index;
        }

        train.LastSlice = index;
        train.SliceCount++;
        _sliceCount = index + 1;
    }

    internal bool Adjoins(in Train train, int bufferIndex, int offsetBytes)
    {
        if (train.SliceCount == 0)
        {
            return false;
        }

        ref TrainSlice last = ref _slices[train.LastSlice];
        return last.BufferIndex == bufferIndex && last.OffsetBytes + last.LengthBytes == offsetBytes;
    }

    // A train and a slice hold at least one datagram each, so neither list can outgrow the datagrams planned.
    private T[] Grown<T>(T[] items)
    {
        if (items.Length == _capacity)
        {
            ThrowFull();
        }

        T[] grown = new T[(int)Math.Min(_capacity, 2L * items.Length)];
        items.CopyTo(grown, 0);
        return grown;
    }

    [DoesNotReturn]
    private void ThrowFull() => throw new InvalidOperationException(
        $"More datagrams were planned than the plan's {_capacity}. Clear it, or make it larger.");
}
