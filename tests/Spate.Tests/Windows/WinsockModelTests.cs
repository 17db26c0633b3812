using System.Net;
using System.Net.Sockets;
using Spate.StandIn;

namespace Spate.Tests.Windows;

/// <summary>
/// This process uses the stand-in: the runtime's sockets do, and its counts can be read. A program in C checks that it
/// keeps Microsoft's rules.
/// </summary>
[OverStandIn("the stand-in itself")]
public sealed class WinsockModelTests : IDisposable
{
    private const SocketOptionName SendMessageSize = (SocketOptionName)2; // UDP_SEND_MSG_SIZE

    public WinsockModelTests()
    {
        Assert.SkipUnless(WinsockModel.IsNamed, "test.sh --windows runs it over the stand-in");
        WinsockModel.Reset();
    }

    public void Dispose()
    {
        if (WinsockModel.IsNamed) WinsockModel.Reset();
    }

    [Fact]
    public void SendTo_WithSegmentSize_LeavesInSegments()
    {
        using Socket receiver = Bound();
        using Socket sender = Bound();
        sender.SetSocketOption(SocketOptionLevel.Udp, SendMessageSize, 1000);

        sender.SendTo(new byte[2500], receiver.LocalEndPoint!);

        byte[] buffer = new byte[5000];
        Assert.Equal([1000, 1000, 500], Enumerable.Range(0, 3).Select(_ => receiver.Receive(buffer)));
        ModelCounts counts = WinsockModel.Read();
        Assert.Equal((1, 3), (counts.SegmentedSends, counts.Segments));
        Assert.Null(WinsockModel.TakeViolation());
    }

    [Fact]
    public void Set_OfUnknownKnob_Throws() =>
        Assert.Throws<ArgumentException>(static () => WinsockModel.Set("none", 1));

    private static Socket Bound()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = 10_000,
        };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }
}
