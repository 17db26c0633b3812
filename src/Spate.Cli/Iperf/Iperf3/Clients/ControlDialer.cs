using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Clients;

/// <summary>Opens the control connection to the first address of a server that answers.</summary>
internal static class ControlDialer
{
    public static ControlStream Dial(Iperf3ClientOptions options, TimeProvider time, CancellationToken stop)
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

        throw last ?? new Iperf3Exception($"the server has no address of the family of {options.Local}");
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
            ? "connection refused; does a server run there (spate iperf3 -s)?"
            : fault.Message;
}
