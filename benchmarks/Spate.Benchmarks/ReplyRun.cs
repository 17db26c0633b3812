using System.Diagnostics;

namespace Spate.Benchmarks;

/// <summary>
/// Times a server that answers with fully written replies: `replies BYTES PEERS ROUNDS`. One thread plays all parts, so
/// nothing runs at the same time. In each round the peers send requests, which is not timed. Then the server receives
/// them, reserves and fills a reply for each, and sends the replies: that is timed, per reply. To see the cost of a
/// change, run builds with and without the change in turn, for instance A B B A, and compare the medians.
/// </summary>
internal static class ReplyRun
{
    private const int RequestsPerRound = 512;
    private const int WarmUpRounds = 500;
    private const int BufferBytes = 8 << 20;

    public static void Run(int payloadBytes, int peerCount, int roundCount)
    {
        var options = new UdpSocketOptions { ReceiveBufferBytes = BufferBytes, SendBufferBytes = BufferBytes };
        using UdpSocket server = UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        UdpSocket[] peers =
            [.. Enumerable.Range(0, peerCount).Select(_ => UdpSocket.Bind(UdpEndPoint.Loopback(0), options))];
        using ReceiveBatch incoming = server.CreateReceiveBatch();
        using SendBatch outgoing = server.CreateSendBatch();
        byte[] answer = new byte[payloadBytes];
        Random.Shared.NextBytes(answer);
        var nanoseconds = new List<double>(roundCount);
        for (int round = -WarmUpRounds; round < roundCount; round++)
        {
            Ask(peers, server.LocalEndPoint);
            long start = Stopwatch.GetTimestamp();
            int answered = Answer(server, incoming, outgoing, answer);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
            if (round >= 0 && answered > 0) nanoseconds.Add(elapsed.TotalNanoseconds / answered);
            foreach (UdpSocket peer in peers) Drain(peer, incoming);
        }

        Array.ForEach(peers, static peer => peer.Dispose());
        nanoseconds.Sort();
        double At(double share) => nanoseconds[(int)(share * (nanoseconds.Count - 1))];
        Console.WriteLine($"ns per reply: least {At(0):F1}, p5 {At(0.05):F1}, p25 {At(0.25):F1}, median {At(0.5):F1}");
    }

    // Requests of different peers alternate, as at a server with many.
    private static void Ask(UdpSocket[] peers, in UdpEndPoint server)
    {
        for (int sent = 0; sent < RequestsPerRound; sent += peers.Length)
        {
            foreach (UdpSocket peer in peers) peer.SendTo("12345678"u8, server);
        }
    }

    private static int Answer(UdpSocket server, ReceiveBatch incoming, SendBatch outgoing, byte[] answer)
    {
        int answered = 0;
        while (server.TryReceive(incoming) == ReceiveStatus.Received)
        {
            foreach (Datagram request in incoming)
            {
                Span<byte> payload;
                while (!outgoing.TryReserveReply(request, answer.Length, out payload)) server.Send(outgoing);
                answer.CopyTo(payload);
                answered++;
            }

            server.Send(outgoing);
        }

        return answered;
    }

    private static void Drain(UdpSocket peer, ReceiveBatch batch)
    {
        while (peer.TryReceive(batch) == ReceiveStatus.Received)
        {
        }
    }
}
