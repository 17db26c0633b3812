using System.Security.Cryptography;
using Spate;

/// <summary>Resolves names through one DNS server, many at a time, over one socket.</summary>
internal sealed class DnsClient(UdpEndPoint server, TimeSpan firstTimeout, TimeProvider time) : IDisposable
{
    private const int MaxOpen = 200;
    private const int MaxTries = 3;

    // The system chooses the port, so a forger must guess the port as well as the id.
    private readonly UdpSocket _socket = UdpSocket.Bind(
        server.IsIPv4 ? UdpEndPoint.Any(0) : UdpEndPoint.IPv6Any(0));

    private readonly RequestTracker<int> _open = new(MaxOpen, MaxTries, firstTimeout, time);

    /// <summary>Resolves the names; the answers have the order of the names.</summary>
    public DnsAnswer[] Resolve(IReadOnlyList<string> names)
    {
        using ReceiveBatch received = _socket.CreateReceiveBatch();
        using SendBatch queries = _socket.CreateSendBatch(new SendBatchOptions { Capacity = MaxOpen });
        byte[][] questions = [.. names.Select(DnsQuery.QuestionOf)];
        var answers = new DnsAnswer[names.Count];
        int next = 0;
        // docs: loop
        while (next < names.Count || _open.Count > 0)
        {
            for (; next < names.Count && !_open.IsFull; next++)
            {
                while (!_open.TryAdd(RandomNumberGenerator.GetInt32(ushort.MaxValue + 1), server, next)) continue;
            }

            SendDue(queries, questions);
            if (_open.Count == 0) continue;
            if (_socket.Receive(received, _open.UntilDue) == ReceiveStatus.Closed) break;
            foreach (Datagram datagram in received) Take(datagram, questions, answers);
        }
        // end

        return answers;
    }

    public void Dispose() => _socket.Dispose();

    // docs: due
    // New queries and those that are asked again leave together, in one call. The batch has room for all open ones.
    private void SendDue(SendBatch queries, byte[][] questions)
    {
        long now = time.GetTimestamp();
        while (_open.TryTakeDue(now, out DueRequest<int> due))
        {
            if (due.IsLost) continue;
            byte[] question = questions[due.Request];
            queries.TryReserve(due.Peer, DnsQuery.HeaderBytes + question.Length, out Span<byte> payload);
            DnsQuery.Write((ushort)due.Id, question, payload);
        }

        _socket.Send(queries);
    }
    // end

    // Forged, late and repeated answers find no query, or another question. They change nothing.
    private void Take(in Datagram datagram, byte[][] questions, DnsAnswer[] answers)
    {
        if (datagram.IsTruncated || !DnsQuery.TryReadId(datagram.Payload, out ushort id)) return;
        if (!_open.TryFind(id, datagram.Peer, out int index)) return;
        if (!DnsQuery.TryRead(datagram.Payload, questions[index], out DnsAnswer answer)) return;
        answers[index] = answer;
        _open.TryComplete(id, datagram.Peer);
    }
}
