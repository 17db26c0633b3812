using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>
/// The totals that senders of datagrams too small for numbers announce. Every announcement is sent several times and
/// counts once. The memory is bounded: only the newest senders are remembered, so a late copy of an old sender's
/// announcement could count again.
/// </summary>
internal sealed class UnnumberedTotals
{
    private const int MaxRemembered = 1024;

    private readonly StreamIndex _known = new(MaxRemembered);
    private readonly Queue<ulong> _order = new();

    public long Senders { get; private set; }

    public long Datagrams { get; private set; }

    public void Add(ulong streamId, long total)
    {
        if (_known.TryGet(streamId, out _)) return;
        if (_known.Count == _known.Capacity) _known.Remove(_order.Dequeue());
        _known.Add(streamId, 0);
        _order.Enqueue(streamId);
        Senders++;
        Datagrams = Saturating.Add(Datagrams, total);
    }
}
