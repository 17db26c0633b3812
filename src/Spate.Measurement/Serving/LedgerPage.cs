using Spate.Measurement.Accounting;

namespace Spate.Measurement.Serving;

/// <summary>
/// What one thread has seen of streams since it posted last. Numbers in a row take one entry, so a run of datagrams
/// costs a comparison each here, and one or two nanoseconds each under the ledger's lock. Belongs to its thread.
/// </summary>
internal sealed class LedgerPage(StreamLedger ledger)
{
    /// <summary>
    /// So many datagrams are worth a lock. No more are kept between batches, since a thread may sleep on them while
    /// others run ahead.
    /// </summary>
    private const int WorthPosting = 64;

    private const int MaxRuns = 512;

    private readonly SequenceRun[] _runs = new SequenceRun[MaxRuns];
    private int _runCount;
    private int _datagramCount;
    private long _otherDatagrams;

    // The run under way: kept apart from the array, since nearly every datagram only makes it longer.
    private TestDatagram _first;
    private int _count;
    private int _payloadBytes;

    /// <summary>Notes one datagram.</summary>
    /// <returns>Whether it is data; false for an announcement.</returns>
    public bool Add(ReadOnlySpan<byte> payload)
    {
        if (!TestDatagram.TryRead(payload, out TestDatagram datagram))
        {
            _otherDatagrams++;
            return true;
        }

        bool isData = datagram.Kind == TestDatagramKind.Data;
        if (isData && _count > 0 && datagram.StreamId == _first.StreamId && payload.Length == _payloadBytes
            && datagram.Sequence == _first.Sequence + _count && _first.Kind == TestDatagramKind.Data)
        {
            _count++;
        }
        else
        {
            EndRun();
            (_first, _count, _payloadBytes) = (datagram, 1, payload.Length);
        }

        _datagramCount++;
        return isData;
    }

    /// <summary>Posts if enough has gathered. Once a batch; one of many runs posts in between by itself.</summary>
    public void PostIfDue()
    {
        if (_datagramCount + _otherDatagrams >= WorthPosting) Post();
    }

    public void Post()
    {
        if (_count > 0) _runs[_runCount++] = new SequenceRun(_first, _count, _payloadBytes);
        if (_runCount > 0 || _otherDatagrams > 0) ledger.Post(_runs.AsSpan(0, _runCount), _otherDatagrams);
        (_count, _runCount, _datagramCount, _otherDatagrams) = (0, 0, 0, 0);
    }

    private void EndRun()
    {
        if (_count == 0) return;
        _runs[_runCount++] = new SequenceRun(_first, _count, _payloadBytes);
        _count = 0;

        // Room for the run that begins now is always left.
        if (_runCount == _runs.Length) Post();
    }
}
