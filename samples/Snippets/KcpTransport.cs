using Spate;
using Spate.Serving;

namespace Snippets;

// docs: transport
internal sealed class ShardTransport(UdpShard shard, UdpEndPoint peer) : IKcpTransport
{
    public ValueTask SendPacketAsync(Memory<byte> packet, CancellationToken cancellationToken)
    {
        _ = shard.TryEnqueue(packet.Span, peer);   // false: too much is waiting. KCP sends it again
        return default;
    }
}
// end

/// <summary>Stands for the interface of KcpSharp, whose package these pages are not compiled with.</summary>
internal interface IKcpTransport
{
    ValueTask SendPacketAsync(Memory<byte> packet, CancellationToken cancellationToken);
}

/// <summary>Stands for the class of KcpSharp; the spelling is its own.</summary>
internal sealed class KcpConversation
{
    public ValueTask InputPakcetAsync(ReadOnlyMemory<byte> packet, CancellationToken cancellationToken) => default;
}

internal static class KcpInput
{
    public static void Input(SessionTable<KcpConversation> sessions, Datagram datagram)
    {
        // docs: input
        if (sessions.TryGet(datagram.Peer, out SessionRef<KcpConversation> session))
        {
            DatagramLease lease = datagram.Lease();
            ValueTask input = session.Value.InputPakcetAsync(lease.Payload, default);
            if (input.IsCompletedSuccessfully) lease.Dispose();
            else _ = DisposeAfterAsync(input, lease);   // await input in a try, and dispose the lease in its finally
        }
        // end
    }

    private static async Task DisposeAfterAsync(ValueTask input, DatagramLease lease)
    {
        try
        {
            await input;
        }
        finally
        {
            lease.Dispose();
        }
    }
}
