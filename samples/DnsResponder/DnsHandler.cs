using System.Net;
using Spate;
using Spate.Serving;

/// <summary>Answers the queries of a batch.</summary>
internal sealed class DnsHandler(
    UdpShard shard, Dictionary<string, IPAddress>.AlternateLookup<ReadOnlySpan<char>> addresses) : UdpHandler
{
    private readonly byte[] _answer = new byte[DnsMessage.MaxAnswerBytes];

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            if (datagram.IsTruncated) continue;
            int length = DnsMessage.Answer(datagram.Payload, addresses, _answer);
            if (length == 0 || replies.TryAdd(_answer.AsSpan(0, length), datagram.Peer)) continue;
            shard.Flush(replies);   // the batch is full: what is in it leaves now
            replies.TryAdd(_answer.AsSpan(0, length), datagram.Peer);
        }
    }
}
