using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

/// <summary>The end of a test that asks for it, by iperf3's protocol.</summary>
internal static class Iperf3Client
{
    /// <summary>Blocks. Where it throws an <see cref="Iperf3Exception"/>, the observer was told too.</summary>
    public static void Run(
        Iperf3ClientOptions options,
        IIperfObserver observer,
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
            observer.Tell(new IperfMessage(fault.Message));
            throw;
        }
        catch (Exception fault) when (fault
            is SocketException or TrafficException or OperationCanceledException or PlatformNotSupportedException)
        {
            string message = fault is OperationCanceledException ? "stopped before the test began" : fault.Message;
            observer.Tell(new IperfMessage(message));
            throw new Iperf3Exception(message, fault);
        }
    }

    private static void RunTest(
        Iperf3ClientOptions options, IIperfObserver observer, TimeProvider time, CancellationToken stop)
    {
        using ControlStream control = Dial(options, time, stop);
        new Iperf3ClientTest(control, options, observer, time, stop).Run();
    }

    /// <summary>Opens the control connection to the first address of a server that answers.</summary>
    private static ControlStream Dial(Iperf3ClientOptions options, TimeProvider time, CancellationToken stop)
    {
        Exception? last = null;
        foreach (IPEndPoint server in options.Servers)
        {
            if (options.Local is { } local && local.AddressFamily != server.AddressFamily) continue;

            try
            {
                return new ControlStream(Connect(server, options, stop), time);
            }
            catch (SocketException fault)
            {
                last = new Iperf3Exception($"unable to connect to {server}: {TextOf(fault)}", fault);
            }
            catch (Iperf3Exception fault)
            {
                last = fault;
            }
            catch (OperationCanceledException) when (!stop.IsCancellationRequested)
            {
                last = new Iperf3Exception(
                    $"unable to connect to {server}: no answer within {options.ConnectTimeout.TotalSeconds:0.###} s");
            }
        }

        throw last ?? new Iperf3Exception($"the server has no address in the family of {options.Local}");
    }

    private static Socket Connect(IPEndPoint server, Iperf3ClientOptions options, CancellationToken stop)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(stop);
        if (options.ConnectTimeout > TimeSpan.Zero) timeout.CancelAfter(options.ConnectTimeout);
        var socket = new Socket(server.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (options.Local is { } local) Bind(socket, new IPEndPoint(local, 0));
            socket.ConnectAsync(server, timeout.Token).AsTask().GetAwaiter().GetResult();
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    // The server has no part in it, so it must not be named.
    private static void Bind(Socket socket, IPEndPoint local)
    {
        try
        {
            socket.Bind(local);
        }
        catch (SocketException fault)
        {
            throw new Iperf3Exception(BindFault.Of(local, fault).Message, fault);
        }
    }

    private static string TextOf(SocketException fault) =>
        fault.SocketErrorCode == SocketError.ConnectionRefused
            ? "connection refused; start a server there (spate iperf3 -s)"
            : fault.Message;
}

/// <summary>
/// Opens the streams of a test one after the other, as the protocol wants it. iperf3 asks once and waits for 30 s;
/// this asks again. A second request of 4 bytes would be read as data by a server whose answer was lost, so the others
/// are whole datagrams with the counter 0: at most one is counted, as out of order.
/// </summary>
internal sealed class StreamDialer(
    Iperf3Parameters parameters, Iperf3ClientOptions options, ControlStream control, TimeProvider time)
{
    private static readonly TimeSpan RepeatTime = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    // As long as iperf3 waits.
    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(30);

    /// <summary>Opens all streams, whose sockets the caller owns. The check, called often, throws to give up.</summary>
    /// <exception cref="SocketException">The system refused a socket.</exception>
    public StreamLink[] Dial(IPEndPoint server, Func<bool> check)
    {
        var links = new List<StreamLink>();
        UdpSocketOptions socketOptions = parameters.TransportOf(options.Transport).ToSocketOptions();
        try
        {
            for (int i = 0; i < parameters.AllStreamCount; i++)
            {
                UdpSocket socket = UdpSocket.Connect(UdpEndPoint.FromIPEndPoint(server), LocalOf(i), socketOptions);
                links.Add(new StreamLink(StreamLink.IdOf(i), parameters.Sends(isClient: true, i), socket));
                Ask(socket, check, isLast: i == parameters.AllStreamCount - 1);
            }

            return [.. links];
        }
        catch
        {
            links.ForEach(static link => link.Socket.Dispose());
            throw;
        }
    }

    private UdpEndPoint LocalOf(int index)
    {
        int port = options.StreamPort > 0 ? options.StreamPort + index : 0;
        if (options.Local is { } address) return new UdpEndPoint(address, port);

        // The control connection's own address: the server binds streams to it alone.
        return new UdpEndPoint(control.Local.Address, port);
    }

    private void Ask(UdpSocket socket, Func<bool> check, bool isLast)
    {
        // One at a time: in reverse, data may follow the answer at once, and must stay in the socket to be counted.
        using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 1 });
        long startTicks = time.GetTimestamp();
        long? askedTicks = null;
        while (time.GetElapsedTime(startTicks) < MaxTime)
        {
            if (askedTicks is not { } last || time.GetElapsedTime(last) >= RepeatTime)
            {
                // A server between two listening sockets has none for a moment: the next request finds it.
                _ = socket.TrySend(askedTicks is null ? Iperf3Datagram.ConnectRequest : Repeat());
                askedTicks = time.GetTimestamp();
            }

            if (socket.Receive(batch, StepTime) == ReceiveStatus.Received && HasAnswer(batch)) return;

            // It begins when it has all streams: the answer for the last one was lost.
            if (check() && isLast) return;
        }

        throw new Iperf3Exception(
            $"{socket.Peer} did not answer over UDP within {MaxTime.TotalSeconds:0} s: check that firewalls allow "
            + "UDP to this port");
    }

    private static bool HasAnswer(ReceiveBatch batch)
    {
        foreach (Datagram datagram in batch)
        {
            if (Iperf3Datagram.IsConnectReply(datagram.Payload)) return true;
        }

        return false;
    }

    private byte[] Repeat()
    {
        byte[] request = new byte[parameters.LengthBytes];
        Iperf3Datagram.Write(
            request, time.ToNanoseconds(time.GetTimestamp()), counter: 0, parameters.Counters64Bit);
        return request;
    }
}
