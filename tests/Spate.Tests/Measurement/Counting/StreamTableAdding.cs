using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

/// <summary>Counts datagrams one by one, without the pages of <see cref="BatchCounts"/>.</summary>
internal static class StreamTableAdding
{
    /// <summary>Counts one datagram of any kind, which it returns. An arrival of 0 is none.</summary>
    public static TestDatagramKind Add(
        this StreamTable table, ReadOnlySpan<byte> payload, long arrivalNanoseconds = 0, bool verify = false)
    {
        TestDatagramKind kind = TestDatagram.Classify(payload, verify, out TestDatagram datagram);
        if (kind is TestDatagramKind.Data or TestDatagramKind.End or TestDatagramKind.Total)
        {
            table.AddRun(new SequenceRun(datagram, 1, payload.Length, arrivalNanoseconds));
        }
        else
        {
            ForeignCounters foreign = default;
            foreign.Add(kind);
            table.AddForeign(foreign);
        }

        return kind;
    }
}
