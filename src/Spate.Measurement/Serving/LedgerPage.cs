using Spate.Measurement.Accounting;

namespace Spate.Measurement.Serving;

/// <summary>
/// What one thread has received of streams since its last post. Consecutive sequences share one entry, so a datagram
/// costs one comparison here, and one or two nanoseconds under the ledger's lock. Used by one thread only.
/// </summary>
internal sealed class LedgerPage(StreamLedger ledger)
{
    /// <summary>
    /// The number of datagrams that is worth taking the lock. A thread posts them before its next batch, because it may
    /// sleep then while other threads get far ahead.
    /// </summary>
    private const int MinPostDatagrams = 64;

    private const int MaxRuns = 512;

    private readonly SequenceRun[] _runs = new SequenceRun[MaxRuns];
    private int _runCount;
    private int _datagramCount;
    private long _otherDatagrams;
    private long _unknownDatagrams;

    // The current run is not in the array yet, because nearly every datagram only makes it longer.
    private TestDatagram _first;
    private int _count;
    private int _payloadBytes;

    /// <summary>Notes one datagram.</summary>
    /// <returns>Whether it counts as a datagram; false for an announcement and for an unknown kind.</returns>
    public bool Add(ReadOnlySpan<byte> payload)
    {
        if (!TestDatagram.TryRead(payload, out TestDatagram datagram))
        {
            bool isUnknown = datagram.Kind == TestDatagramKind.Unknown;
            _unknownDatagrams += isUnknown ? 1 : 0;
            _otherDatagrams += isUnknown ? 0 : 1;
            return !isUnknown;
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

    /// <summary>
    /// Posts if there is enough to post. Called once per batch; a batch with many runs also posts when the page is
    /// full.
    /// </summary>
    public void PostIfDue()
    {
        if (_datagramCount + _otherDatagrams + _unknownDatagrams >= MinPostDatagrams) Post();
    }

    public void Post()
    {
        if (_count > 0) _runs[_runCount++] = new SequenceRun(_first, _count, _payloadBytes);
        if (_runCount > 0 || _otherDatagrams + _unknownDatagrams > 0)
        {
            ledger.Post(_runs.AsSpan(0, _runCount), _otherDatagrams, _unknownDatagrams);
        }

        (_count, _runCount, _datagramCount, _otherDatagrams, _unknownDatagrams) = (0, 0, 0, 0, 0);
    }

    private void EndRun()
    {
        if (_count == 0) return;
        _runs[_runCount++] = new SequenceRun(_first, _count, _payloadBytes);
        _count = 0;

        // The run that begins now needs room.
        if (_runCount == _runs.Length) Post();
    }
}
