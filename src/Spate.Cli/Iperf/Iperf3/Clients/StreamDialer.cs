using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

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
            $"{socket.Peer} did not answer over UDP within {MaxTime.TotalSeconds:0} s: is UDP to this port "
            + "let through?");
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
