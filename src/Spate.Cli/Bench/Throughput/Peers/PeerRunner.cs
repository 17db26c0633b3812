using System.Diagnostics;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench.Throughput.Peers;

/// <summary>Runs another program's server and client once, as children with bounds on time and output.</summary>
internal sealed class PeerRunner(CpuPlacement placement, int bufferBytes)
{
    /// <summary>A second of sending, the start of both ends, and the end of the server.</summary>
    public static readonly TimeSpan ExpectedDuration = TimeSpan.FromSeconds(1.8);

    private const int SendSeconds = 1;

    // Bounds for programs that hang. A busy machine may take seconds to start a program.
    private static readonly TimeSpan MaxStart = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxClient = TimeSpan.FromSeconds(SendSeconds + 9);
    private static readonly TimeSpan MaxServerEnd = TimeSpan.FromSeconds(5);

    /// <summary>Throws if the program does not start or end in time, or its output is not understood.</summary>
    public BenchRow Run(PeerProgram peer, int sizeBytes)
    {
        var setup = new PeerSetup(
            sizeBytes, SendSeconds, FreePort(peer.ControlsOverTcp), FreePort(overTcp: false), PlainBuffer(), placement);
        string path = peer.ExecutablePath ?? throw new BenchException(peer.UnavailableReason!);
        string[] clientArguments = peer.ClientArguments(setup);
        using var server = new ChildProcess(path, peer.ServerArguments(setup));
        WaitUntilListening(peer, setup, server);
        using var client = new ChildProcess(path, clientArguments);
        if (!client.WaitForExit(MaxClient))
        {
            throw new BenchException($"{peer.Name} did not end in time and was stopped.");
        }
        if (peer.EndsOnInterrupt) server.Interrupt();
        _ = server.WaitForExit(MaxServerEnd);
        string clientOutput = client.ReadOutput();
        PeerFigures? figures = peer.Parse(clientOutput, server.ReadOutput(), setup);
        if (figures is null)
        {
            string told = PrintableText.OneLine(peer.DescribeFailure(clientOutput) ?? "its output could not be parsed");
            throw new BenchException($"{peer.Name} reported no figures at {sizeBytes} bytes: {told}");
        }
        return figures.ToRow(peer.Name, sizeBytes);
    }

    private static void WaitUntilListening(PeerProgram peer, PeerSetup setup, ChildProcess server)
    {
        long start = Stopwatch.GetTimestamp();
        while (!IsListening(setup.ControlPort, peer.ControlsOverTcp))
        {
            if (Stopwatch.GetElapsedTime(start) > MaxStart || server.WaitForExit(TimeSpan.FromMilliseconds(10)))
            {
                throw new BenchException($"{peer.Name} did not start its server; try that by hand.");
            }
        }
    }

    private static bool IsListening(int port, bool overTcp)
    {
        try
        {
            var properties = IPGlobalProperties.GetIPGlobalProperties();
            IPEndPoint[] listeners = overTcp ? properties.GetActiveTcpListeners() : properties.GetActiveUdpListeners();
            return listeners.Any(listener => listener.Port == port);
        }
        catch (NetworkInformationException e)
        {
            throw new BenchException("The system does not list its listening ports.", e);
        }
    }

    // Finds a port that is free now. These programs cannot print a port that the system chose for them.
    private static int FreePort(bool overTcp)
    {
        using var socket = new Socket(
            AddressFamily.InterNetwork,
            overTcp ? SocketType.Stream : SocketType.Dgram,
            overTcp ? ProtocolType.Tcp : ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    // These programs do not force buffers, and iperf3 refuses to run if the system grants less than it requested.
    private int PlainBuffer()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveBufferSize = bufferBytes,
            SendBufferSize = bufferBytes,
        };
        return Math.Min(BaselineSocket.GrantedReceiveBytes(socket), BaselineSocket.GrantedSendBytes(socket));
    }
}
