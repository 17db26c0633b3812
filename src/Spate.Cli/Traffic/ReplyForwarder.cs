using Spate.Serving;

namespace Spate.Cli.Traffic;

/// <summary>Forwards datagrams from the handlers of <c>spate serve</c> and of the benches.</summary>
internal static class ReplyForwarder
{
    /// <summary>Forwards a datagram. A batch of replies without room for it is sent first.</summary>
    public static void Forward(
        this UdpShard shard,
        scoped in Datagram datagram,
        scoped in UdpEndPoint destination,
        scoped in SendControl control,
        SendBatch replies)
    {
        if (replies.TryForward(datagram, destination, control)) return;
        shard.Flush(replies);
        if (!replies.TryForward(datagram, destination, control))
        {
            throw new InvalidOperationException("An empty reply batch has no room for a datagram.");
        }
    }
}
