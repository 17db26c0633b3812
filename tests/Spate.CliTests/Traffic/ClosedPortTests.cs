using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Counting;

namespace Spate.CliTests.Traffic;

/// <summary>The tool's answer where nobody listens.</summary>
public sealed class ClosedPortTests
{
    private const string Hint = "probably no program listens";

    [Theory]
    [InlineData("auto")]
    [InlineData("portable")]
    public async Task Send_OneDatagramToAClosedPort_SaysSo(string backend)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the kernel tells of ICMP errors");

        ToolResult result = await Tool.RunAsync("send", Closed(), "--count", "1", "--backend", backend);

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains(Hint, result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Send_SeveralTargetsOneClosed_SaysSo()
    {
        Assert.SkipUnless(UdpCapabilities.Current.Preferred != UdpBackend.Portable, "needs Mmsg");
        using Socket open = Bind();

        ToolResult result = await Tool.RunAsync(
            "send", open.LocalEndPoint!.ToString()!, Closed(), "--count", "4", "--rate", "1k");

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains(Hint + " on the port of one of the targets", result.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Send_ReceiverGoneBeforeTheAnnouncement_SaysNothing()
    {
        Socket receiver = Bind();
        try
        {
            Task<ToolResult> run = Tool.RunAsync(
                "send", receiver.LocalEndPoint!.ToString()!, "--count", "1", "--rate", "1", "--size", "64");
            await receiver.ReceiveAsync(new byte[100], TestContext.Current.CancellationToken);

            // The announcement follows the datagram after its second.
            receiver.Close();
            ToolResult result = await run;

            Assert.True(result.ExitCode == 0, result.Error);
            Assert.DoesNotContain(Hint, result.Error, StringComparison.Ordinal);
        }
        finally
        {
            receiver.Dispose();
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Relay_ClosedDestination_IsToldOfDatagramsAndNotOfAnnouncements(bool isData)
    {
        Assert.SkipUnless(UdpCapabilities.Current.Preferred != UdpBackend.Portable, "needs Mmsg");
        const int Count = 5;
        await using RunningTool relay = Tool.Start(
            "serve", "127.0.0.1:0", "--app", "relay", "--to", Closed(), "--threads", "1", "--count", $"{Count}");
        IPEndPoint end = await relay.ReadEndPointAsync("spate: serving at ");
        using Socket plain = Bind();
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        for (int i = 0; i < Count; i++)
        {
            if (isData) TestDatagram.WriteData(payload, 7, i);
            else TestDatagram.WriteEnd(payload, 7, 100);
            plain.SendTo(payload, end);
        }

        ToolResult result = await relay.FinishAsync();

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Equal(isData, result.Error.Contains(Hint, StringComparison.Ordinal));
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    // An address of the loopback that no other test uses, so that nobody takes the port meanwhile.
    private static string Closed() => "127.77.1.9:9";
}
