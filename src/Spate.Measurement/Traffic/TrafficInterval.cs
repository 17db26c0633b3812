using System.Runtime.InteropServices;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>One interval of a run, as it is told while the run goes on.</summary>
/// <param name="Total">All flows together.</param>
/// <param name="Flows">
/// The flows that moved something, where there is more than one: threads of a sender, streams at a receiver. At most
/// <see cref="MaxFlows"/>, those that moved most.
/// </param>
/// <param name="FlowCount">How many flows moved something.</param>
public sealed record TrafficInterval(IntervalReport Total, IReadOnlyList<FlowInterval> Flows, int FlowCount)
{
    /// <summary>How many flows are told one by one.</summary>
    public const int MaxFlows = 16;
}

/// <summary>What one flow moved in an interval.</summary>
/// <param name="Name">The thread's number, or the first digits of the stream's id.</param>
/// <param name="Datagrams">Datagrams sent or received.</param>
/// <param name="Bytes">Their payload bytes.</param>
/// <param name="Lost">By how much the loss grew; null at a sender.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FlowInterval(string Name, long Datagrams, long Bytes, long? Lost);
