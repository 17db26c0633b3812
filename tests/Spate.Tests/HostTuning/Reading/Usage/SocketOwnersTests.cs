using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Usage;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Usage;

public sealed class SocketOwnersTests
{
    [Fact]
    public void Find_RecordedTree_GivesEachProcessOfTheSockets()
    {
        using FakeHost host = new FakeHost()
            .WithLink("proc/31/fd/3", "socket:[7]")
            .WithLink("proc/31/fd/4", "socket:[8]")
            .WithLink("proc/31/fd/5", "socket:[8]")
            .WithLink("proc/32/fd/3", "pipe:[7]")
            .WithLink("proc/32/fd/4", "socket:[x]")
            .WithLink("proc/32/fd/5", "socket:[")
            .WithLink("proc/33/fd/0", "socket:[7]")
            .WithLink("proc/self/fd/0", "socket:[7]");

        (string, long)[] found = [.. SocketOwners.Find(new HostFiles(host.RootPath), new HashSet<long> { 7, 8 })];

        Assert.Equal([("31", 7), ("31", 8), ("33", 7)], found.Order());
    }

    [Fact]
    public void NameOf_StrangeName_IsEscaped()
    {
        using FakeHost host = new FakeHost().With("proc/31/comm", "a b\u001b[31m\n").With("proc/32/comm", "");

        Assert.Equal(@"a\x20b\x1b[31m", SocketOwners.NameOf(new HostFiles(host.RootPath), "31"));
        Assert.Equal("", SocketOwners.NameOf(new HostFiles(host.RootPath), "32"));
        Assert.Equal("", SocketOwners.NameOf(new HostFiles(host.RootPath), "33"));
    }
}
