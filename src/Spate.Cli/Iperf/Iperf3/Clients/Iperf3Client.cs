using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

/// <summary>The end of a test that asks for it, by iperf3's protocol.</summary>
internal static class Iperf3Client
{
    /// <summary>Blocks. Where it throws an <see cref="Iperf3Exception"/>, the observer was told too.</summary>
    public static void Run(
        Iperf3ClientOptions options,
        IIperf3Observer observer,
        TimeProvider? timeProvider = null,
        CancellationToken cancellationToken = default)
    {
        options.Validate();
        if (options.PlacesBesidePeer) PeerCpu.Prepare();

        // Before the server begins, which would take a free one by itself.
        using CpuClaim? namedCpus = options.PlacesBesidePeer ? CpuClaim.TakeAll(options.Cpus) : null;
        try
        {
            RunTest(options, observer, timeProvider ?? TimeProvider.System, cancellationToken);
        }
        catch (Iperf3Exception fault)
        {
            observer.Fail(fault.Message);
            throw;
        }
        catch (Exception fault) when (fault
            is SocketException or TrafficException or OperationCanceledException or PlatformNotSupportedException)
        {
            string message = fault is OperationCanceledException ? "stopped before the test began" : fault.Message;
            observer.Fail(message);
            throw new Iperf3Exception(message, fault);
        }
    }

    private static void RunTest(
        Iperf3ClientOptions options, IIperf3Observer observer, TimeProvider time, CancellationToken stop)
    {
        using ControlStream control = ControlDialer.Dial(options, time, stop);
        new ClientRun(control, options, observer, time, stop).Run();
    }
}
