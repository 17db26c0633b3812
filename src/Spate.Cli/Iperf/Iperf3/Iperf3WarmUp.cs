using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary>Runs a test on loopback for a moment, so that nothing is compiled while datagrams are counted.</summary>
internal static class Iperf3WarmUp
{
    // Groups of datagrams with pauses between them, in which the compiler's own thread gets a CPU.
    private const long BitsPerSecond = 500_000_000;

    // The compiler begins to count calls after 30 ms in the tool.
    private static readonly TimeSpan Time = TimeSpan.FromMilliseconds(200);

    private static int _isDone;

    /// <summary>Warms up, once in a process. It throws nothing, and does nothing where loopback is down.</summary>
    public static void Run(Iperf3Parameters parameters, TransportOptions transport)
    {
        if (Interlocked.Exchange(ref _isDone, 1) != 0) return;

        try
        {
            Send(
                parameters with
                {
                    LengthBytes = parameters.LengthBytes > 0
                        ? parameters.LengthBytes
                        : Iperf3Parameters.DefaultLengthBytes,
                    BitsPerSecond = BitsPerSecond,
                    BurstDatagrams = 0,
                    Reverse = false,
                    Bidirectional = false,
                },
                transport);
        }
        catch (Exception fault) when (fault is SocketException or TrafficException or PlatformNotSupportedException)
        {
            // The test meets the same fault, and reports it.
        }
    }

    private static void Send(Iperf3Parameters parameters, TransportOptions transport)
    {
        var settings = new Iperf3TrafficOptions([], TimeSpan.Zero, transport);
        UdpSocket target = UdpSocket.Bind(UdpEndPoint.Loopback(0), transport.ToSocketOptions());
        StreamLink[] into = [new StreamLink(Id: 1, Sends: false, target)];
        using var receiving = new Iperf3Traffic(parameters, isClient: false, into, settings, TimeProvider.System);
        UdpSocket source = UdpSocket.Connect(target.LocalEndPoint, options: transport.ToSocketOptions());
        StreamLink[] from = [new StreamLink(Id: 1, Sends: true, source)];
        using var sending = new Iperf3Traffic(parameters, isClient: false, from, settings, TimeProvider.System);
        receiving.StartReceiving(onInterval: null);
        sending.StartSending(onInterval: null);
        Thread.Sleep(Time);
        sending.StopSending();
        _ = sending.Report();
        receiving.StopReceiving();
        _ = receiving.Report();
    }
}
