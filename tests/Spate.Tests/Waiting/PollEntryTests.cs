using System.Net.Sockets;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Tests.Waiting;

public sealed class PollEntryTests
{
    [Fact]
    public void TryRelease_EventDuringTheClaim_ClaimGoesOnOnce()
    {
        using Socket socket = NewSocket();
        PollEntry entry = Create(socket);

        Assert.True(entry.TryClaim());
        Assert.False(entry.TryClaim());
        Assert.False(entry.TryClaim());
        Assert.False(entry.TryRelease());
        Assert.True(entry.TryRelease());
        Assert.True(entry.TryClaim());
    }

    [Fact]
    public void Leave_DuringTheClaim_NobodyGetsOneAnyMore()
    {
        using Socket socket = NewSocket();
        PollEntry entry = Create(socket);
        Assert.True(entry.TryClaim());

        Assert.True(entry.Leave());

        Assert.True(entry.HasLeft);
        Assert.True(entry.TryRelease());
        Assert.False(entry.TryClaim());
        Assert.False(entry.Leave());
    }

    [Fact]
    public void Release_EventsMeanwhile_NextClaimIsFree()
    {
        using Socket socket = NewSocket();
        PollEntry entry = Create(socket);

        Assert.True(entry.TryClaim());
        Assert.False(entry.TryClaim());
        entry.Release();

        Assert.True(entry.TryClaim());
        Assert.True(entry.TryRelease());
    }

    private static PollEntry Create(Socket socket) => new(
        new PollSource(new PortableEventSet(isShared: true)), descriptor: 0,
        new SocketContext(socket, new UdpSocketOptions(), default));

    private static Socket NewSocket() => new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
}
