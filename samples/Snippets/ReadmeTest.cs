using Spate;
using Spate.Testing;
using Xunit;

namespace Snippets;

// docs: test
public sealed class EchoHandlerTests
{
    [Fact]
    public void OnDatagrams_OneDatagram_IsSentBack()
    {
        using TestShard shard = new(_ => new EchoHandler());        // no socket, no second thread
        UdpEndPoint peer = UdpEndPoint.Parse("192.0.2.1:40000");

        shard.Receive(peer, "hello"u8);                             // returns when the handler has returned

        Assert.Equal(new SentDatagram(peer, "hello"u8), Assert.Single(shard.Sent));
    }
}
// end
