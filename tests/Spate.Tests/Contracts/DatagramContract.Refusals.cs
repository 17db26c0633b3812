using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>What is said where the system refuses: which port, address, interface or group, and what to do.</summary>
public abstract partial class DatagramContract
{
    /// <summary>No machine has so many interfaces that one gets this index.</summary>
    private const int NoInterface = 0xFF_FFF0;

    [Fact]
    public void Bind_PortTaken_NamesThePortAndWhatToDo()
    {
        UdpEndPoint taken = BindLoopback().LocalEndPoint;

        AssertSays(
            SocketError.AddressAlreadyInUse,
            $"Port {taken.Port} is in use at {taken}: choose another port, or end the program that uses it.",
            () => Bind(taken));
        AssertSays(
            SocketError.AddressAlreadyInUse,
            $"Port {taken.Port} is in use at {taken}: ",
            () => Own(UdpSocket.Connect(UdpEndPoint.Loopback(9), taken, Options())));
    }

    [Fact]
    public void Bind_AddressOfAnotherMachine_NamesTheAddress()
    {
        Wine.SkipFor("foreign-address");

        AssertSays(
            SocketError.AddressNotAvailable,
            "192.0.2.1:0 is not an address of this machine: use one that is",
            () => Bind(new(IPAddress.Parse("192.0.2.1"), 0)));
    }

    [Theory, InlineData("fe80::1"), InlineData("ff02::1")]
    public void Bind_LinkLocalWithoutItsZone_AsksForTheZone(string address)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "other systems choose a zone themselves");
        RequireIPv6();

        AssertSays(
            SocketError.InvalidArgument,
            $"[{address}]:0 is a link-local address, which needs its interface as a zone",
            () => Bind(new(IPAddress.Parse(address), 0)));
    }

    [Fact]
    public void Connect_ZoneThatIsNotHere_SaysThatThereIsNoRoute()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error code is Linux's");
        RequireIPv6();
        UdpEndPoint peer = new(new IPAddress(IPAddress.Parse("fe80::1").GetAddressBytes(), NoInterface), 9);

        AssertSays(SocketError.NetworkUnreachable, $"No route to {peer}: check", () => Connect(peer));
    }

    [Fact]
    public void BindToDevice_NotHere_NamesTheDeviceInPlainCharacters()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "SO_BINDTODEVICE is a Linux option");

        AssertSays(
            SocketError.SocketError,
            "No interface 'nosuch0' to bind to: 'ip link' lists them",
            () => BindLoopback(Options(device: "nosuch0")));
        AssertSays(
            SocketError.SocketError,
            "No interface 'no\\u001B[1m' to bind to",
            () => BindLoopback(Options(device: "no\u001b[1m")));
    }

    [Theory]
    [InlineData("127.0.0.1", "239.255.3.4")]
    [InlineData("::1", "ff02::7777")]
    public void JoinMulticast_InterfaceNotHere_NamesTheInterfaceAndTheGroup(string address, string groupText)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error codes are Linux's");
        if (address is "::1") RequireIPv6();
        UdpAddress group = UdpAddress.Parse(groupText);
        UdpAddress source = UdpAddress.Parse(address);
        UdpSocket socket = Bind(new(source, 0));
        string expected = $"No interface with the index {NoInterface} for the group {group}";

        AssertSays(SocketError.SocketError, $"{expected}: ", () => socket.JoinMulticastGroup(group, NoInterface));
        AssertSays(
            SocketError.SocketError,
            $"{expected} from {source}: ",
            () => socket.JoinMulticastGroup(group, NoInterface, source));
        SocketException fault = Assert.Throws<SocketException>(() => socket.SetMulticastInterface(NoInterface));
        Assert.StartsWith($"No interface with the index {NoInterface} to send", fault.Message);
    }

    [Fact]
    public void JoinMulticast_TwiceOrLeftUnjoined_SaysSo()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error codes are Linux's");
        int loopback = LoopbackIndex();
        UdpSocket socket = BindLoopback();
        UdpAddress group = NewSourceGroup();
        socket.JoinMulticastGroup(_group, loopback);
        socket.JoinMulticastGroup(group, loopback, UdpAddress.Loopback);
        string by = $"by interface {loopback}";

        AssertSays(
            SocketError.AddressAlreadyInUse,
            $"The socket has joined the group {_group} {by} already",
            () => socket.JoinMulticastGroup(_group, loopback));
        AssertSays(
            SocketError.AddressNotAvailable,
            $"The socket has joined the group {group} from 127.0.0.1 {by} already",
            () => socket.JoinMulticastGroup(group, loopback, UdpAddress.Loopback));
        socket.LeaveMulticastGroup(_group, loopback);
        AssertSays(
            SocketError.AddressNotAvailable,
            $"The socket is not in the group {_group} {by}",
            () => socket.LeaveMulticastGroup(_group, loopback));
    }

    private static void AssertSays(SocketError code, string expected, Action open)
    {
        SocketException fault = Assert.Throws<SocketException>(open);
        Assert.Equal(code, fault.SocketErrorCode);
        Assert.StartsWith(expected, fault.Message);
        Assert.DoesNotContain('\n', fault.Message);
    }
}
