using System.Net.Sockets;
using Spate.Measurement.Counting;

namespace Spate.Measurement.Traffic;

/// <summary>Receives any datagrams; counts those of a <see cref="TrafficSender"/>. One run per object.</summary>
internal sealed class TrafficReceiver : IDisposable
{
    private readonly TrafficReceiverOptions _options;
    private readonly TimeProvider _time;
    private readonly ReceiveFlow[] _flows;

    // Null at an end of a test, which judges the counters of both ends.
    private readonly LossWatch? _watch;

    private TrafficReceiver(TrafficReceiverOptions options, TimeProvider time, ReceiveFlow[] flows, LossWatch? watch)
    {
        _watch = watch;
        _options = options;
        _time = time;
        _flows = flows;
        Array.ForEach(flows, flow => flow.Spins = options.Spins);
    }

    /// <summary>Where the receiver listens. Port 0 is replaced by the port that the system chose.</summary>
    public UdpEndPoint LocalEndPoint => FirstSocket.LocalEndPoint;

    /// <summary>The first socket's backend, offloads and buffers; all sockets of a run are alike.</summary>
    public UdpSocket FirstSocket => _flows[0].Socket;

    /// <summary>From now on datagrams are queued. Throws <see cref="SocketException"/> if the port is taken.</summary>
    public static TrafficReceiver Open(TrafficReceiverOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        RequireSharing(options, OperatingSystem.IsWindows());
        if (options.PlacesBesidePeer) PeerCpu.Prepare();
        TimeProvider time = timeProvider ?? TimeProvider.System;
        UdpSocketOptions socketOptions = options.SocketOptions(reusePort: options.FlowCount > 1, broadcast: false);
        var limit = new DatagramLimit(options.DatagramCount);
        var flows = new List<ReceiveFlow>(options.FlowCount);
        UdpEndPoint local = options.Local;
        try
        {
            // The flows share the port with each other. If another run shared it too, each run would count a part as if
            // it were all.
            if (socketOptions.ReusePort) PeerPort.RequireFree(local, socketOptions);
            for (int i = 0; i < options.FlowCount; i++)
            {
                UdpSocket socket = UdpSocket.Bind(local, socketOptions);
                flows.Add(options.Accounting is { } accounting
                    ? new TestReceiveFlow(
                        i, socket, limit, options.Duration, time, new StreamLedger(options: accounting))
                    : new VisitingFlow(i, socket, limit, options.Duration, time));
                if (local.Address.IsMulticast)
                {
                    uint scope = local.Address.ScopeId;
                    socket.JoinMulticastGroup(local.Address, scope == 0 ? null : (int)scope);
                }
                local = socket.LocalEndPoint;
            }

            return new TrafficReceiver(options, time, [.. flows], options.Accounting is null ? null : new LossWatch());
        }
        catch (Exception fault)
        {
            int openedCount = flows.Count;
            flows.ForEach(static flow => flow.Socket.Dispose());
            if (TrafficException.OfFlows(fault, openedCount, options.FlowCount) is { } tooMany) throw tooMany;
            throw;
        }
    }

    /// <summary>The sockets stay their owner's: other threads may send on them. Address and end are not used.</summary>
    internal static TrafficReceiver Over(ReceiveFlow[] flows, TrafficReceiverOptions options, TimeProvider time)
    {
        options.Validate();
        return new TrafficReceiver(options, time, flows, watch: null);
    }

    /// <summary>Whether all flows have begun. Any thread may ask.</summary>
    internal bool HasBegun => Array.TrueForAll(_flows, static flow => flow.HasBegun);

    /// <summary>What the streams of all flows have come to; any thread may ask.</summary>
    internal StreamTotals ReadTotals()
    {
        StreamTotals totals = default;
        foreach (ReceiveFlow flow in _flows)
        {
            totals += flow.ReadTotals();
        }

        return totals;
    }

    /// <summary>As if the announcement had arrived; any thread may.</summary>
    internal void End(int flowIndex, ulong streamId, long total) => _flows[flowIndex].End(streamId, total);

    /// <summary>Until the end, or 0.1 s after a cancellation. Intervals come on the calling thread.</summary>
    public TrafficReport Run(Action<TrafficInterval>? onInterval = null, CancellationToken cancellationToken = default)
    {
        var report = new TrafficReport { Kind = TrafficReport.ReceiveKind };
        using var run = new TrafficRun(TrafficReport.ReceiveKind, _flows, _options, _time, cancellationToken);
        run.Execute(onInterval, report);

        foreach (ReceiveFlow flow in _flows)
        {
            report.Datagrams += flow.Datagrams;
            report.Bytes += flow.Bytes;
        }

        if (_options.Accounting is { } accounting)
        {
            report.SetAccounting([.. _flows.Select(static flow => flow.Ledger!)], accounting);
        }

        report.SizeBytes = ReceiveFlow.CommonSize(_flows);
        report.SetWire(LocalEndPoint.IsIPv6);
        FillCounters(report);
        _watch?.Judge(report);
        return report;
    }

    public void Dispose()
    {
        _watch?.Dispose();
        foreach (ReceiveFlow flow in _flows)
        {
            flow.Socket.Dispose();
        }
    }

    // SO_REUSEADDR of Windows lets sockets share a port, but does not spread arrivals over them.
    internal static void RequireSharing(TrafficReceiverOptions options, bool isWindows)
    {
        if (!isWindows || options.FlowCount == 1) return;
        throw new PlatformNotSupportedException(
            "Several flows need sockets that share a port, over which Windows does not spread datagrams: receive with "
            + "one flow, or with spate serve, whose threads can share a socket.");
    }

    private void FillCounters(TrafficReport report)
    {
        long? kernelDrops = 0;
        report.BufferAskedBytes = _options.Transport.ReceiveBufferBytes;
        report.BufferGrantedBytes = FirstSocket.ReceiveBufferBytes;
        foreach (ReceiveFlow flow in _flows)
        {
            UdpCounters counters = flow.Socket.GetCounters();
            report.Calls += counters.ReceiveCalls - flow.CallsWithoutData;
            report.KernelDropUnit = DropUnitText.Of(counters.KernelDropUnit);
            kernelDrops += counters.KernelDrops;
        }

        report.KernelDrops = kernelDrops;
    }
}
