using System.Runtime.InteropServices;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>The datagrams that a flow, or one of its streams, has moved since the start.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct FlowCounts(long Datagrams, long Bytes, long? Lost)
{
    public static FlowCounts operator +(FlowCounts left, FlowCounts right) =>
        new(left.Datagrams + right.Datagrams, left.Bytes + right.Bytes, Sum(left.Lost, right.Lost));

    public static FlowCounts operator -(FlowCounts left, FlowCounts right) =>
        new(left.Datagrams - right.Datagrams, left.Bytes - right.Bytes, left.Lost - (right.Lost ?? 0));

    private static long? Sum(long? left, long? right) =>
        left is null && right is null ? null : (left ?? 0) + (right ?? 0);
}

/// <summary>One socket and what its thread does with it.</summary>
internal abstract class TrafficFlow(int index, UdpSocket socket)
{
    private bool _hasBegun;

    public int Index { get; } = index;

    public UdpSocket Socket { get; } = socket;

    /// <summary>
    /// The local and the remote end of the traffic; the remote one is the default where anyone may send.
    /// </summary>
    public virtual IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> Ends =>
        [(Socket.LocalEndPoint, Socket.Peer)];

    /// <summary>The calls that moved datagrams. The flow's thread counts them; any thread may read.</summary>
    public CallCounters Counters { get; } = new();

    /// <summary>
    /// The CPU that the flow's thread takes where its peer is on this host; null for none. Set before the run.
    /// </summary>
    public PeerCpu? PeerCpu { get; set; }

    /// <summary>Whether the thread moves datagrams, or waits for them, by now. Any thread may ask.</summary>
    public bool HasBegun => Volatile.Read(ref _hasBegun);

    /// <summary>The time stamp at which <see cref="Run"/> began to move datagrams.</summary>
    public long StartTicks { get; protected set; }

    /// <summary>The time stamp at which the last datagram was moved, or at which the run ended.</summary>
    public long EndTicks { get; protected set; }

    /// <summary>
    /// What the thread got of its CPUs while datagrams came in; null for one that sends. Valid after the run.
    /// </summary>
    public virtual ReaderSchedule? Reader => null;

    /// <summary>Moves datagrams until done or stopped. Runs on the flow's thread.</summary>
    public abstract void Run(CancellationToken stop);

    /// <summary>Does what is left when the measured part is over. Runs on the flow's thread.</summary>
    public virtual void Finish()
    {
    }

    /// <summary>Called by <see cref="Run"/> once all is set up.</summary>
    protected void Begin() => Volatile.Write(ref _hasBegun, value: true);

    /// <summary>Reads the counts. Any thread may call this at any time.</summary>
    /// <param name="parts">Receives, by name, the counts of each part that is reported by itself.</param>
    public abstract FlowCounts Sample(Dictionary<string, FlowCounts> parts);
}
