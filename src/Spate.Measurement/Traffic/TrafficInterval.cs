using System.Runtime.InteropServices;

namespace Spate.Measurement.Traffic;

/// <summary>One interval of a run, reported while the run goes on.</summary>
/// <param name="Total">The figures of all flows together.</param>
/// <param name="Flows">
/// The flows that moved datagrams, where there is more than one flow: threads of a sender, streams at a receiver. At
/// most <see cref="MaxFlows"/>, those that moved most.
/// </param>
/// <param name="FlowCount">The number of flows that moved datagrams.</param>
internal sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
{
    /// <summary>The number of flows that are reported one by one.</summary>
    public const int MaxFlows = 16;

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(TrafficInterval), PrintMembers, (nameof(Flows), Flows));
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
/// <param name="Datagrams">Datagrams sent or received.</param>
/// <param name="Bytes">Their payload bytes.</param>
/// <param name="Lost">How much the loss grew; null at a sender.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);
