using System.Net;
using System.Net.Sockets;
using Spate.Sockets;
using Spate.Sockets.Portable;
using Spate.Sockets.Rio;
using Spate.StandIn;

namespace Spate.Tests.Sockets.Rio;

/// <summary>A socket over Registered I/O with memory of given sizes, with the receiver to look at.</summary>
internal sealed class RioSocket<TCalls> : IDisposable
    where TCalls : struct, IRioCalls
{
    private readonly Socket _sender = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly byte[] _payload = new byte[8];

    public RioSocket(RioShape shape, Func<WindowsRioCalls, TCalls> wrap, UdpSocketOptions? options = null)
    {
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options, isRegistered: true);
        try
        {
            SocketSetup.Apply(socket, options);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            Context = new SocketContext(socket, options, default);
            Receiver = RioReceiver<TCalls>.Open(Context, shape, wrap(WindowsRioCalls.Of(socket)));
            Socket = new UdpSocket(
                Context, new BackendPair(UdpBackend.Rio, Receiver, new PortableSender(Context)));
            _sender.Connect(socket.LocalEndPoint!);
        }
        catch
        {
            socket.Dispose();
            _sender.Dispose();
            throw;
        }
    }

    public SocketContext Context { get; }

    public UdpSocket Socket { get; }

    public RioReceiver<TCalls> Receiver { get; }

    public EndPoint SenderEndPoint => _sender.LocalEndPoint!;

    /// <summary>The number of datagrams that were sent.</summary>
    public long SentCount { get; private set; }

    /// <summary>Sends the next numbers, one to a datagram.</summary>
    public void Send(int count)
    {
        for (int i = 0; i < count; i++)
        {
            BitConverter.TryWriteBytes(_payload, SentCount++);
            _sender.Send(_payload);
        }
    }

    public void Send(byte[] payload) => _sender.Send(payload);

    /// <summary>Sends, and waits until the stand-in has handed over or dropped all.</summary>
    public void SendAndSettle(int count)
    {
        ModelCounts before = WinsockModel.Read();
        Send(count);
        Wait.Until(() =>
        {
            ModelCounts now = WinsockModel.Read();
            return now.RioReceived + now.RioDropped - before.RioReceived - before.RioDropped >= count;
        });
    }

    /// <summary>Receives until this number has come, which must be the next numbers in order.</summary>
    public void Receive(ReceiveBatch batch, int count, ref long next)
    {
        for (long end = next + count; next < end;)
        {
            ReceiveStatus status = Socket.Receive(batch, RioModel.Patience);
            Assert.True(status == ReceiveStatus.Received, $"{status} instead of datagram {next}.");
            foreach (Datagram datagram in batch)
            {
                long number = BitConverter.ToInt64(datagram.Payload);
                if (number != next++) Assert.Fail($"Datagram {number} came instead of {next - 1}.");
            }
        }
    }

    public void Dispose()
    {
        Socket.Dispose();
        _sender.Dispose();
    }
}

/// <summary>The conditions and accounts of tests of Registered I/O.</summary>
internal static class RioModel
{
    public static TimeSpan Patience => TimeSpan.FromSeconds(30);

    public static void Require()
    {
        UdpCapability rio = UdpCapabilities.Current.Rio;
        Assert.SkipUnless(rio.IsAvailable, rio.Reason);
    }

    /// <summary>
    /// Requires the stand-in, whose counts and broken rules a test looks at, and forgets earlier ones.
    /// </summary>
    public static void RequireModel()
    {
        Require();
        Assert.SkipUnless(WinsockModel.IsHere, "needs the stand-in of tests/WindowsStandIn (SPATE_STANDIN)");
        WinsockModel.Reset();
    }

    public static RioSocket<WindowsRioCalls> Open(RioShape shape, UdpSocketOptions? options = null) =>
        new(shape, static calls => calls, options);

    public static RioSocket<FaultyRioCalls> Open(RioShape shape, RioFaults faults, UdpSocketOptions? options = null) =>
        new(shape, calls => new FaultyRioCalls(calls, faults), options);

    /// <summary>Fails if a rule was broken since <see cref="RequireModel"/>.</summary>
    public static void AssertRulesKept()
    {
        if (WinsockModel.IsHere) Assert.Null(WinsockModel.TakeViolation());
    }
}
