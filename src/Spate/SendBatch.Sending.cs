using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Trains;

namespace Spate;

/// <summary>The side of a batch that backends see: trains in sending order and how far they are sent.</summary>
public sealed partial class SendBatch
{
    private readonly List<SlotBuffer> _foreign = [];
    private SendControl[] _controls = [];
    private int _controlCount;
    private int _nextTrain;
    private int _nextSegment;
    private int _plannedRunCount;

    /// <summary>
    /// Held by the call that sends the batch. Meanwhile no reservation takes the short way, which does not look here.
    /// </summary>
    internal UseFlag Use;

    /// <summary>Whether it is a server's, which lends it to handlers: they must not dispose it.</summary>
    internal bool IsLent { get; set; }

    internal UdpBackend Backend { get; }

    /// <summary>What the backend keeps with the batch (message headers); made at its first use.</summary>
    internal object? BackendState { get; set; }

    /// <summary>The first train that is not wholly sent.</summary>
    internal int NextTrain => _nextTrain;

    /// <summary>
    /// The first segment of <see cref="NextTrain"/> that is not sent; above 0 only where it is sent plainly.
    /// </summary>
    internal int NextSegment => _nextSegment;

    /// <summary>
    /// Whether some of the plan is left. A send goes by this and not by <see cref="Count"/>, which a reservation that
    /// another thread had begun may still change.
    /// </summary>
    internal bool HasUnsent => _nextTrain < _plan.Trains.Length;

    internal ReadOnlySpan<Train> Trains => _plan.Trains;

    internal ReadOnlySpan<TrainSlice> Slices => _plan.Slices;

    internal bool HasControls => _controlCount > 0;

    internal ref readonly UdpEndPoint PeerOf(in Train train) => ref _runs[train.RunIndex].Peer;

    internal bool TryGetControl(in Train train, out SendControl control)
    {
        int index = _runs[train.RunIndex].ControlIndex;
        control = index >= 0 ? _controls[index] : default;
        return index >= 0;
    }

    internal byte[] BufferAt(int bufferIndex) =>
        bufferIndex == SendRun.OwnBuffer ? _buffer : _foreign[bufferIndex - 1].Array;

    /// <summary>
    /// Plans what came since the last send behind what is left of it. On a connected socket, datagrams without a peer
    /// are for its <paramref name="remote"/>, also if another socket has to send them in the end.
    /// </summary>
    internal void BeginSend(in TrainLimits limits, in UdpEndPoint remote)
    {
        EndRun();
        Span<SendRun> added = _runs.AsSpan(_plannedRunCount, _runCount - _plannedRunCount);
        if (!remote.IsDefault)
        {
            if (HasControls) RequireSuiting(added, remote);
            NamePeer(added, remote);
        }

        TrainPlanner.Plan(added, limits, _plan);
        _plannedRunCount = _runCount;
    }

    /// <summary>
    /// The next <paramref name="segmentCount"/> datagrams of the next train are dealt with, sent or refused.
    /// </summary>
    internal void Advance(int segmentCount)
    {
        _count -= segmentCount;
        _nextSegment += segmentCount;
        if (_nextSegment < _plan.Trains[_nextTrain].SegmentCount) return;
        _nextTrain++;
        _nextSegment = 0;
    }

    /// <summary>Starts anew where everything was dealt with; otherwise the rest stays for the next send.</summary>
    internal void EndSend()
    {
        if (!HasUnsent) Reset();
    }

    /// <summary>The payload of one datagram of a train. Segments never straddle slices.</summary>
    internal ReadOnlySpan<byte> SegmentOf(in Train train, int segmentIndex)
    {
        int offsetBytes = segmentIndex * train.SegmentBytes;
        int lengthBytes = segmentIndex == train.SegmentCount - 1 ? train.LastBytes : train.SegmentBytes;
        int sliceIndex = train.FirstSlice;
        while (true)
        {
            ref readonly TrainSlice slice = ref _plan.Slices[sliceIndex];
            if (offsetBytes < slice.LengthBytes || slice.Next < 0)
                return BufferAt(slice.BufferIndex).AsSpan(slice.OffsetBytes + offsetBytes, lengthBytes);
            offsetBytes -= slice.LengthBytes;
            sliceIndex = slice.Next;
        }
    }

    private void RequireSuiting(ReadOnlySpan<SendRun> runs, in UdpEndPoint remote)
    {
        foreach (ref readonly SendRun run in runs)
        {
            if (!run.Peer.IsDefault || run.ControlIndex < 0 || _controls[run.ControlIndex].Suits(remote)) continue;
            throw new InvalidOperationException(
                $"A datagram of the batch is to leave from {_controls[run.ControlIndex].LocalAddress}, which is not of "
                + $"the family of the peer {remote}: Clear the batch, and give a local address that is.");
        }
    }

    // Named or not, it is one peer, whose datagrams keep their order.
    private static void NamePeer(Span<SendRun> runs, in UdpEndPoint remote)
    {
        foreach (ref SendRun run in runs)
        {
            if (run.Peer.IsDefault) run.Peer = remote;
        }
    }

    private int IndexOf(in SendControl control)
    {
        if (control.IsDefault) return SendRun.NoControl;

        // Looks back a little so that answers to a few peers in turn share controls; a miss costs only an entry.
        for (int i = _controlCount - 1; i >= Math.Max(0, _controlCount - 8); i--)
        {
            if (_controls[i] == control) return i;
        }

        if (_controlCount == _controls.Length) Array.Resize(ref _controls, Math.Max(8, _controls.Length * 2));
        _controls[_controlCount] = control;
        return _controlCount++;
    }

    private int IndexOf(SlotBuffer buffer, ReceiveBatch owner)
    {
        Span<SlotBuffer> foreign = CollectionsMarshal.AsSpan(_foreign);
        if (foreign.Length > 0 && ReferenceEquals(foreign[^1], buffer)) return foreign.Length;

        // Held until sent, so that the batch it came in takes another buffer for its next receive.
        buffer.Hold();
        owner.NoteHeld();
        _foreign.Add(buffer);
        return _foreign.Count;
    }

    /// <summary>Disposes it, lent or not; false if another call is sending it, or it was disposed before.</summary>
    private bool TryDispose()
    {
        if (!Use.TryEnd()) return false;
        Reset();
        return true;
    }

    private void LetForeignGo()
    {
        foreach (SlotBuffer buffer in CollectionsMarshal.AsSpan(_foreign)) buffer.LetGo();
        _foreign.Clear();
    }
}
