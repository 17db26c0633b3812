namespace Spate.Tests.Sockets;

/// <summary>Fills batches with datagrams whose first four bytes are their number.</summary>
internal static class NumberedBatch
{
    public const int SizeBytes = 100;

    public static void Add(SendBatch batch, in UdpEndPoint peer, int number, int sizeBytes = SizeBytes)
    {
        Assert.True(batch.TryReserve(peer, sizeBytes, out Span<byte> payload), "The batch is full.");
        payload.Clear();
        Assert.True(BitConverter.TryWriteBytes(payload, number));
    }

    /// <summary>Numbers first to first + count - 1, given to the peers in turn.</summary>
    public static void AddInTurn(SendBatch batch, IReadOnlyList<NumberedPeer> peers, int first, int count)
    {
        for (int i = first; i < first + count; i++) Add(batch, peers[i % peers.Count].EndPoint, i);
    }

    /// <summary>The numbers that <see cref="AddInTurn"/> gives to one of the peers.</summary>
    public static List<int> TurnOf(int peerIndex, int peerCount, int first, int count) =>
        [.. Enumerable.Range(first, count).Where(number => number % peerCount == peerIndex)];
}
