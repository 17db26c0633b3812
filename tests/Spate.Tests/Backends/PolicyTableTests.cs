using System.Net.Sockets;
using Spate.Backends;
using Spate.Backends.Portable;

namespace Spate.Tests.Backends;

/// <summary>The small tables, line by line.</summary>
public sealed class PolicyTableTests
{
    [Theory]
    [InlineData(null, UdpBackend.Automatic)]
    [InlineData("", UdpBackend.Automatic)]
    [InlineData("portable", UdpBackend.Portable)]
    [InlineData(" Portable ", UdpBackend.Portable)]
    [InlineData("MMSG", UdpBackend.Mmsg)]
    [InlineData("mmsg\n", UdpBackend.Mmsg)]
    [InlineData("automatic", UdpBackend.Automatic)]
    [InlineData("uring", UdpBackend.Automatic)]
    [InlineData("1", UdpBackend.Automatic)]
    public void ParseBackend_Value_MeansBackend(string? value, UdpBackend expected) =>
        Assert.Equal(expected, Switches.ParseBackend(value));

    [Theory]
    [InlineData(null, false)]
    [InlineData("", false)]
    [InlineData("0", true)]
    [InlineData(" 0 ", true)]
    [InlineData("off", true)]
    [InlineData("OFF", true)]
    [InlineData("False", true)]
    [InlineData("no", true)]
    [InlineData("1", false)]
    [InlineData("on", false)]
    [InlineData("true", false)]
    [InlineData("00", false)]
    public void IsOff_Value_MeansOff(string? value, bool expected) => Assert.Equal(expected, Switches.IsOff(value));

    [Theory]
    [InlineData("4.18", false)]
    [InlineData("6.18.44", false)]
    [InlineData("6.99.99", false)]
    [InlineData("7.0", true)]
    [InlineData("7.0.0", true)]
    [InlineData("7.0.12", true)]
    [InlineData("7.1", true)]
    [InlineData("7.1.4", true)]
    [InlineData("7.1.5", false)]
    [InlineData("7.2", false)]
    [InlineData("8.0", false)]
    public void CorruptsTrains_KernelVersion_AsKnown(string version, bool expected) =>
        Assert.Equal(expected, LinuxKernel.CorruptsTrains(Version.Parse(version)));

    [Theory]
    [InlineData(SocketError.Interrupted, ErrnoAction.Retry)]
    [InlineData(SocketError.WouldBlock, ErrnoAction.WouldBlock)]
    [InlineData(SocketError.IOPending, ErrnoAction.WouldBlock)]
    [InlineData(SocketError.TryAgain, ErrnoAction.WouldBlock)]
    [InlineData(SocketError.ConnectionReset, ErrnoAction.PendingError)]
    [InlineData(SocketError.NetworkReset, ErrnoAction.PendingError)]
    [InlineData(SocketError.ConnectionRefused, ErrnoAction.PendingError)]
    [InlineData(SocketError.HostUnreachable, ErrnoAction.PendingError)]
    [InlineData(SocketError.NetworkUnreachable, ErrnoAction.PendingError)]
    [InlineData(SocketError.HostDown, ErrnoAction.PendingError)]
    [InlineData(SocketError.NetworkDown, ErrnoAction.PendingError)]
    [InlineData(SocketError.ProtocolOption, ErrnoAction.PendingError)]
    [InlineData(SocketError.NoBufferSpaceAvailable, ErrnoAction.NoBuffers)]
    [InlineData(SocketError.NotSocket, ErrnoAction.Closed)]
    [InlineData(SocketError.OperationAborted, ErrnoAction.Closed)]
    [InlineData(SocketError.Shutdown, ErrnoAction.Closed)]
    [InlineData(SocketError.Fault, ErrnoAction.Bug)]
    [InlineData(SocketError.MessageSize, ErrnoAction.RefuseDatagram)]
    [InlineData(SocketError.AccessDenied, ErrnoAction.RefuseDatagram)]
    [InlineData(SocketError.AddressFamilyNotSupported, ErrnoAction.RefuseDatagram)]
    [InlineData(SocketError.AddressNotAvailable, ErrnoAction.RefuseDatagram)]
    [InlineData(SocketError.InvalidArgument, ErrnoAction.RefuseDatagram)]
    [InlineData(SocketError.SocketError, ErrnoAction.RefuseDatagram)]
    public void Decide_SocketError_IsAction(SocketError error, object expected) =>
        Assert.Equal((ErrnoAction)expected, SocketErrorPolicy.Decide(error));
}
