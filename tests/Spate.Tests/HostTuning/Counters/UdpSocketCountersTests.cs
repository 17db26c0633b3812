using Spate.HostTuning.Counters;

namespace Spate.Tests.HostTuning.Counters;

public sealed class UdpSocketCountersTests
{
    private const string Header =
        "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref " +
        "pointer drops            \n";

    [Fact]
    public void Read_RecordedTree_FindsTheRowOfTheInode()
    {
        using FakeHost host = new FakeHost()
            .With("proc/thread-self/net/udp", Header + Row(11, "00000000", 1) + Row(12, "00073E00", 4294967295))
            .With(
                "proc/thread-self/net/udp6",
                Header.Replace("local_address", "local_address                        ", StringComparison.Ordinal)
                    + Row(13, "00000010", 3));

        Assert.Equal(new UdpSocketCounters(12, 0x73E00, 4294967295), UdpSocketCounters.Read(12, host.RootPath));
        Assert.Equal(new UdpSocketCounters(13, 16, 3), UdpSocketCounters.Read(13, host.RootPath));
        Assert.Null(UdpSocketCounters.Read(14, host.RootPath));
        Assert.Null(UdpSocketCounters.Read(0, host.RootPath));
    }

    [Fact]
    public void Read_ThousandsOfSockets_FindsEachOne()
    {
        using FakeHost host = new FakeHost().With(
            "proc/thread-self/net/udp",
            Header + string.Concat(Enumerable.Range(1, 20_000).Select(inode => Row(inode, "00000000", inode + 1))));

        foreach (int inode in Enumerable.Range(1, 500).Append(20_000))
        {
            Assert.Equal(new UdpSocketCounters(inode, 0, inode + 1), UdpSocketCounters.Read(inode, host.RootPath));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("12")]
    [InlineData("  114: 0 0 07 0 00 0 0 0 x 2 3 4\n")]
    public void Read_OddTable_FindsNothing(string content)
    {
        using FakeHost host = new FakeHost()
            .With("proc/thread-self/net/udp", content)
            .With("proc/thread-self/net/udp6", new string('1', 100_000));

        Assert.Null(UdpSocketCounters.Read(12, host.RootPath));
    }

    [Fact]
    public void Read_RowCutShort_HasNulls()
    {
        using FakeHost host = new FakeHost().With(
            "proc/thread-self/net/udp", "  114: 0100007F:D734 00000000:0000 07 00000000 00:00000000 0 0 0 12 2\n");

        Assert.Equal(new UdpSocketCounters(12, null, null), UdpSocketCounters.Read(12, host.RootPath));
    }

    [Fact]
    public void Subtract_DropsThatWrapped_AreCounted()
    {
        var later = new UdpSocketCounters(12, 5, 10);

        Assert.Equal(
            new UdpSocketCounters(12, 5, 26), later - new UdpSocketCounters(12, 9, 0xFFFF_FFF0));
        Assert.Throws<ArgumentException>(() => later - new UdpSocketCounters(13, 9, 1));
    }

    [Fact]
    public void ReadInode_RecordedTree_TellsSocketsFromOthers()
    {
        using FakeHost host = new FakeHost()
            .WithLink("proc/self/fd/7", "socket:[4711]")
            .WithLink("proc/self/fd/8", "pipe:[4711]")
            .WithLink("proc/self/fd/9", "socket:[x]");

        Assert.Equal(4711, UdpSocketCounters.ReadInode(7, host.RootPath));
        Assert.Null(UdpSocketCounters.ReadInode(8, host.RootPath));
        Assert.Null(UdpSocketCounters.ReadInode(9, host.RootPath));
        Assert.Null(UdpSocketCounters.ReadInode(10, host.RootPath));
    }

    private static string Row(int inode, string receiveQueue, long drops) =>
        $"  114: 0100007F:D734 00000000:0000 07 00000000:{receiveQueue} 00:00000000 00000000     0        0 {inode} 2 "
        + $"00000000168bc6fd {drops,-8}\n";
}
