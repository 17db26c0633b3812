namespace Spate.Trains;

/// <summary>
/// The trains of a send batch in the order in which they leave, planned while datagrams are added, and how far they
/// have left. Datagrams of one peer keep their order; peers that alternate are gathered, so the order between peers may
/// change. Storage is used again; it grows with use up to the capacity.
/// </summary>
internal sealed class TrainPlan
{
    public const int None = -1;

    private const int InitialCount = 64;

    private readonly TrainLimits _limits;
    private readonly int _capacity;
    private readonly OpenTrainTable _openTrains;
    private Train[] _trains;
    private TrainSlice[] _slices;
    private int _trainCount;
    private int _sliceCount;
    private int _begunCount;
    private int _newestTrain = None;
    private ulong _generation = 1;
    private int _settledCount;
    private int _doneCount;

    /// <summary>The datagrams added last. They are in no train before <see cref="Settle"/>.</summary>
    public SendRun Open;

    /// <param name="limits">What a train may hold.</param>
    /// <param name="capacity">The most datagrams that are ever added between two calls of Clear.</param>
    public TrainPlan(in TrainLimits limits, int capacity)
    {
        _limits = limits;
        _capacity = capacity;
        _trains = new Train[Math.Min(capacity, InitialCount)];
        _slices = new TrainSlice[Math.Min(capacity, InitialCount)];
        _openTrains = new OpenTrainTable(capacity);
        Open.Buffer = [];
        EndOpenRun();
    }

    /// <summary>Datagrams added since the last <see cref="Clear"/>.</summary>
    public int AddedCount => _settledCount + Open.SegmentCount;

    /// <summary>Datagrams that are neither sent nor refused.</summary>
    public int Count => AddedCount - _doneCount;

    /// <summary>All trains but the open run, those that have left included.</summary>
    public ReadOnlySpan<Train> Trains => _trains.AsSpan(0, _trainCount);

    /// <summary>The trains that no send has begun on.</summary>
    public ReadOnlySpan<Train> FreshTrains => _trains.AsSpan(_begunCount, _trainCount - _begunCount);

    public ReadOnlySpan<TrainSlice> Slices => _slices.AsSpan(0, _sliceCount);

    /// <summary>The first train that is not wholly sent.</summary>
    public int NextTrain { get; private set; }

    /// <summary>
    /// The first segment of <see cref="NextTrain"/> that is not sent; above 0 only where the train is sent plainly.
    /// </summary>
    public int NextSegment { get; private set; }

    /// <summary>
    /// Whether trains are left. A send goes by this and not by <see cref="Count"/>, which a reservation on another
    /// thread may change although it is not allowed then.
    /// </summary>
    public bool HasUnsent => NextTrain < _trainCount;

    /// <summary>Adds a datagram behind the others of its peer.</summary>
    public void Add(in UdpEndPoint peer, int controlIndex, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (Open.TryExtend(peer, controlIndex, buffer, offsetBytes, lengthBytes)) return;
        Settle();
        Open.Start(peer, controlIndex, buffer, offsetBytes, lengthBytes);
    }

    /// <summary>
    /// On a connected socket, before <see cref="Begin"/>: the fresh datagrams without a peer are for its remote, also
    /// if another socket has to send them in the end.
    /// </summary>
    public void NameDefaultPeer(in UdpEndPoint remote)
    {
        Settle();
        foreach (ref Train train in _trains.AsSpan(_begunCount, _trainCount - _begunCount))
        {
            if (train.PeerBytes != 0) continue;
            train.Peer = remote;
            train.PeerBytes = remote.NativeLength;
        }
    }

    /// <summary>
    /// Begins or goes on to send. What is added from now on joins no train that is there already, so each peer's order
    /// holds also if only a part leaves.
    /// </summary>
    public void Begin()
    {
        Settle();
        _begunCount = _trainCount;
        _newestTrain = None;
        _generation++;
    }

    /// <summary>
    /// The next <paramref name="segmentCount"/> datagrams of the next train have left or were refused.
    /// </summary>
    public void Advance(int segmentCount)
    {
        _doneCount += segmentCount;
        NextSegment += segmentCount;
        if (NextSegment < _trains[NextTrain].SegmentCount) return;
        NextTrain++;
        NextSegment = 0;
    }

    public void Clear()
    {
        // Buffers of others must not be kept alive by what is no longer there.
        _slices.AsSpan(0, _sliceCount).Clear();
        Open.Buffer = [];
        EndOpenRun();
        _generation++;
        _newestTrain = None;
        _trainCount = 0;
        _sliceCount = 0;
        _begunCount = 0;
        _settledCount = 0;
        _doneCount = 0;
        NextTrain = 0;
        NextSegment = 0;
    }

    /// <summary>The payload of one datagram of a train. Segments never straddle slices.</summary>
    public ReadOnlySpan<byte> SegmentOf(in Train train, int segmentIndex)
    {
        int offsetBytes = segmentIndex * train.SegmentBytes;
        int lengthBytes = segmentIndex == train.SegmentCount - 1 ? train.LastBytes : train.SegmentBytes;
        int sliceIndex = train.FirstSlice;
        while (true)
        {
            ref readonly TrainSlice slice = ref _slices[sliceIndex];
            if (offsetBytes < slice.LengthBytes || slice.Next < 0)
            {
                return slice.Buffer.AsSpan(slice.OffsetBytes + offsetBytes, lengthBytes);
            }
            offsetBytes -= slice.LengthBytes;
            sliceIndex = slice.Next;
        }
    }

    /// <summary>Puts the open run into the newest train of its peer and into new ones.</summary>
    public void Settle()
    {
        ref SendRun run = ref Open;
        int trainIndex = run.SegmentCount > 0 ? NewestTrainOf(in run) : None;
        int offsetBytes = run.OffsetBytes;
        for (int leftCount = run.SegmentCount; leftCount > 0;)
        {
            int takenCount = trainIndex >= 0 ? RoomIn(_trains[trainIndex], run, offsetBytes, leftCount) : 0;
            if (takenCount == 0)
            {
                trainIndex = AddTrain(run, leftCount == 1 ? run.LastBytes : run.SegmentBytes);

                // Empty and oversized datagrams fit nowhere and travel alone.
                takenCount = Math.Max(1, RoomIn(_trains[trainIndex], run, offsetBytes, leftCount));
            }

            int lastBytes = takenCount == leftCount ? run.LastBytes : run.SegmentBytes;
            int takenBytes = ((takenCount - 1) * run.SegmentBytes) + lastBytes;
            ref Train train = ref _trains[trainIndex];
            AddBytes(ref train, run.Buffer, offsetBytes, takenBytes);
            train.SegmentCount += takenCount;
            train.TotalBytes += takenBytes;
            train.LastBytes = lastBytes;
            offsetBytes += takenBytes;
            leftCount -= takenCount;
            _newestTrain = trainIndex;
        }

        _settledCount += run.SegmentCount;
        EndOpenRun();
    }

    /// <summary>Ends the open run, so that no datagram can be added to it.</summary>
    private void EndOpenRun()
    {
        Open.SegmentCount = 0;
        Open.SegmentBytes = 0;
        Open.LimitBytes = SendRun.NoLimit;
    }

    /// <summary>The newest train of the run's peer, if the run may join it.</summary>
    private int NewestTrainOf(in SendRun run)
    {
        if (_limits.MaxSegmentCount <= 1 || _newestTrain == None) return None;
        int trainIndex = _newestTrain;
        ref readonly UdpEndPoint lastPeer = ref _trains[trainIndex].Peer;
        if (!lastPeer.Equals(in run.Peer))
        {
            if (lastPeer.IsDefault != run.Peer.IsDefault)
            {
                // The default peer may turn out to be any of the named ones, whose order must hold then.
                _generation++;
                return None;
            }

            trainIndex = _openTrains.PassTo(run.Peer, trainIndex, Trains, _generation);
        }

        // Another control closes the train for good: the run starts a newer one.
        return trainIndex >= 0 && _trains[trainIndex].ControlIndex == run.ControlIndex ? trainIndex : None;
    }

    /// <summary>How many of the run's remaining datagrams, from the next one on, fit into a train.</summary>
    private int RoomIn(in Train train, in SendRun run, int offsetBytes, int leftCount)
    {
        int nextBytes = leftCount == 1 ? run.LastBytes : run.SegmentBytes;
        int roomCount = _limits.MaxSegmentCount - train.SegmentCount;
        int roomBytes = _limits.MaxTotalBytes - train.TotalBytes;
        if (train.LastBytes != train.SegmentBytes
            || (uint)(nextBytes - 1) >= (uint)train.SegmentBytes
            || roomCount <= 0
            || nextBytes > roomBytes
            || (train.SliceCount >= _limits.MaxSliceCount && !Adjoins(train, run.Buffer, offsetBytes)))
        {
            return 0;
        }

        // A shorter datagram is the train's last.
        if (leftCount == 1 || nextBytes < train.SegmentBytes) return 1;
        long leftBytes = ((long)(leftCount - 1) * nextBytes) + run.LastBytes;
        bool lastFits = (uint)(run.LastBytes - 1) < (uint)nextBytes;
        if (leftCount <= roomCount && leftBytes <= roomBytes && lastFits) return leftCount;
        return Math.Min(Math.Min(roomCount, roomBytes / nextBytes), leftCount - 1);
    }

    /// <summary>Adds a train without slices whose segments are as large as its first datagram.</summary>
    private int AddTrain(in SendRun run, int segmentBytes)
    {
        // A train and a slice hold at least one datagram each, so neither list outgrows the capacity.
        int index = _trainCount;
        if (index == _trains.Length) Array.Resize(ref _trains, Math.Min(_capacity, 2 * index));
        ref Train train = ref _trains[index];
        train = default;
        train.Peer = run.Peer;
        train.PeerBytes = run.PeerBytes;
        train.ControlIndex = run.ControlIndex;
        train.FirstSlice = None;
        train.SegmentBytes = segmentBytes;
        train.LastBytes = segmentBytes;
        _trainCount = index + 1;
        return index;
    }

    /// <summary>Puts bytes at the end of a train, into its last slice if they lie right behind that.</summary>
    private void AddBytes(ref Train train, byte[] buffer, int offsetBytes, int lengthBytes)
    {
        if (train.SliceCount > 0 && Adjoins(in train, buffer, offsetBytes))
        {
            _slices[train.LastSlice].LengthBytes += lengthBytes;
            return;
        }

        int index = _sliceCount;
        if (index == _slices.Length) Array.Resize(ref _slices, Math.Min(_capacity, 2 * index));
        _slices[index] = new TrainSlice
        {
            Buffer = buffer,
            OffsetBytes = offsetBytes,
            LengthBytes = lengthBytes,
            Next = None,
        };
        if (train.SliceCount == 0) train.FirstSlice = index;
        else _slices[train.LastSlice].Next = index;
        train.LastSlice = index;
        train.SliceCount++;
        _sliceCount = index + 1;
    }

    private bool Adjoins(in Train train, byte[] buffer, int offsetBytes)
    {
        ref readonly TrainSlice last = ref _slices[train.LastSlice];
        return last.Buffer == buffer && last.OffsetBytes + last.LengthBytes == offsetBytes;
    }
}
