using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>Sockets of one port, each with a processor. Neither Linux nor Wine 8 takes the control code.</summary>
public sealed class ProcessorSocketTests
{
    [Theory]
    [InlineData(0, new byte[] { 0, 0 })]
    [InlineData(1, new byte[] { 1, 0 })]
    [InlineData(0x1234, new byte[] { 0x34, 0x12 })]
    public void GiveProcessor_Index_IsAUshortOfTheControlCode(int processor, byte[] expected)
    {
        List<(int Code, byte[] Input)> calls = [];

        SocketSetup.GiveProcessor(processor, (code, input) => calls.Add((code, input)));

        (int code, byte[] input) = Assert.Single(calls);
        Assert.Equal(SocketSetup.IoControlCpuAffinity, code);
        Assert.Equal(expected, input);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(65_536)]
    public void GiveProcessor_IndexThatIsNoUshort_IsRefused(int processor) =>
        Assert.Throws<OverflowException>(() => SocketSetup.GiveProcessor(processor, static (_, _) => { }));

    [Fact]
    public void ProbeProcessorSockets_SocketsThatShareAPort_AreFound()
    {
        List<int> opened = [];

        bool works = SocketSetup.ProbeProcessorSockets(processor =>
        {
            opened.Add(processor);
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, optionValue: true);
            return socket;
        });

        Assert.True(works);
        Assert.Equal([0, 1], opened);
    }

    [Fact]
    public void ProbeProcessorSockets_PortThatIsTakenForTheSecond_DoesNotWork() =>
        Assert.False(SocketSetup.ProbeProcessorSockets(
            static _ => new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)));

    [Fact]
    public void ProbeProcessorSockets_SystemThatRefusesTheCode_DoesNotWork() =>
        Assert.False(SocketSetup.ProbeProcessorSockets(
            static _ => throw new SocketException((int)SocketError.OperationNotSupported)));

    [Fact]
    public void HasProcessorSockets_SystemThatLacksTheCode_IsFalse()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() && !Wine.IsHere, "Windows may have it");

        Assert.False(SocketSetup.HasProcessorSockets);
    }
}
