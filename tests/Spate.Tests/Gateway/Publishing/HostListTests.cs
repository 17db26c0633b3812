using System.Net;
using Spate.Gateway.Publishing;

namespace Spate.Tests.Gateway.Publishing;

public sealed class HostListTests
{
    [Theory]
    [InlineData(0, "a b c a")]
    [InlineData(2, "c a b c")]
    [InlineData(7, "b c a b")]
    public void Next_FromAPipelinesOwnHost_TakesAllInTurn(int first, string expected)
    {
        var list = new HostList([new("a", 1), new("b", 1), new("c", 1)], first);
        var tried = new List<string>();
        for (int i = 0; i < 4; i++, list.Next()) tried.Add(list.Current.Host);

        Assert.Equal(expected, string.Join(' ', tried));
    }

    [Fact]
    public void Next_OneHost_StaysThere()
    {
        var list = new HostList([new DnsEndPoint("a", 1)], 5);
        list.Next();
        Assert.Equal("a", list.Current.Host);
    }
}
