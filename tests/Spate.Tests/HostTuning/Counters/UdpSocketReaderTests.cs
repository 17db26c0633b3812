using Spate.HostTuning.Counters;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Counters;

public sealed class UdpSocketReaderTests
{
    [Fact]
    public void Read_RecordedTree_GivesTheSocketsOfBothFamilies()
    {
        using FakeHost host = Host(
            [
                .. NetlinkBytes.Socket(11, 53, 0),
                .. NetlinkBytes.Socket(
                    12, 9999, uint.MaxValue, receiveBuffer: 425_984, sendBuffer: 4608, queue: 832, sent: 768),
            ],
            NetlinkBytes.Socket(13, 65_535, 3));

        UdpSocketCounters[] sockets = [.. Read(host)!];

        Assert.Equal([(11, 53), (12, 9999), (13, 65_535)], sockets.Select(one => ((int)one.Inode, one.Port)));
        Assert.Equal(
            new UdpSocketCounters(12, 9999)
            {
                ReceiveQueueBytes = 832,
                ReceiveBufferBytes = 425_984,
                SendQueueBytes = 768,
                SendBufferBytes = 4608,
                Drops = uint.MaxValue,
            },
            sockets[1]);
    }

    [Fact]
    public void Read_KernelThatRefusesIp6_GivesThoseOfIp4()
    {
        using FakeHost host = Host(NetlinkBytes.Socket(11, 53, 0), NetlinkBytes.Message(2, NetlinkBytes.Numbers(2)));

        Assert.Equal(11, Assert.Single(Read(host)!).Inode);
    }

    [Fact]
    public void Read_NoUdpDiag_GivesNull()
    {
        using var empty = new FakeHost();
        using FakeHost refused = new FakeHost()
            .With("netlink/sockets4", NetlinkBytes.Message(2, NetlinkBytes.Numbers(unchecked((uint)-2))));

        Assert.Null(Read(empty));
        Assert.Null(Read(refused));
    }

    [Fact]
    public void Read_SocketWithoutMemory_HasNulls()
    {
        byte[] socket = NetlinkBytes.Message(20, new byte[72], NetlinkBytes.Attribute(7, 1, 0, 0, 0));
        using FakeHost host = Host(socket, []);

        Assert.Equal(
            new UdpSocketCounters(0, 0) { ReceiveQueueBytes = 0, SendQueueBytes = 0 }, Assert.Single(Read(host)!));
    }

    [Fact]
    public void Read_RandomBytes_NeverFails()
    {
        int seed = Environment.TickCount;
        TestContext.Current.TestOutputHelper?.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int i = 0; i < 200; i++)
        {
            byte[] bytes = [.. NetlinkBytes.Socket(1, 2, 3), .. NetlinkBytes.Socket(4, 5, 6)];
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            using FakeHost host = Host(bytes[..random.Next(bytes.Length)], bytes);

            Assert.InRange(Read(host)?.Count ?? 0, 0, 4);
        }
    }

    [Fact]
    public void FindDrops_SomeSocketsDropped_GivesThoseWithMostFirst()
    {
        UdpSocketCounters[] before = [Socket(1, 5), Socket(2, 7), Socket(3, 9), Socket(5, 4)];
        UdpSocketCounters[] after = [Socket(1, 5), Socket(2, 8), Socket(3, 19), Socket(4, 2), Socket(5, null)];

        Assert.Equal([Socket(3, 10), Socket(4, 2), Socket(2, 1)], UdpSocketReader.FindDrops(after, before));
        Assert.Empty(UdpSocketReader.FindDrops(after, null));
        Assert.Empty(UdpSocketReader.FindDrops(null, before));
    }

    [Fact]
    public void Read_ThisMachine_FindsAnOwnSocketWithItsBuffer()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sock_diag(7) is Linux's");
        using var reader = new UdpSocketReader();
        Assert.SkipWhen(reader.Read() is null, "this kernel has no udp_diag");
        foreach (string address in (string[])["127.0.0.1:0", "[::1]:0"])
        {
            using UdpSocket socket = UdpSocket.Bind(
                UdpEndPoint.Parse(address), new UdpSocketOptions { ReceiveBufferBytes = 50_000 });

            // Another test may have the port at another address.
            UdpSocketCounters found = Assert.Single(
                reader.Read()!,
                one => one.Port == socket.LocalEndPoint.Port && one.ReceiveBufferBytes == 100_000);

            Assert.Equal(0, found.Drops);
            Assert.True(found.Inode > 0);
        }
    }

    [Fact]
    public void Read_AfterDispose_GivesNull()
    {
        var reader = new UdpSocketReader();
        reader.Dispose();

        Assert.Null(reader.Read());
    }

    private static UdpSocketCounters Socket(long inode, long? drops) => new(inode, 9) { Drops = drops };

    private static IReadOnlyList<UdpSocketCounters>? Read(FakeHost host)
    {
        using var reader = new UdpSocketReader(host.RootPath);
        return reader.Read();
    }

    private static FakeHost Host(byte[] sockets4, byte[] sockets6) => new FakeHost()
        .With("netlink/sockets4", [.. sockets4, .. NetlinkBytes.End()])
        .With("netlink/sockets6", [.. sockets6, .. NetlinkBytes.End()]);
}
