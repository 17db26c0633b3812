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

    private readonly Dictionary<ushort, Query> _open = new(MaxOpen);

    /// <summary>Resolves the names; the answers have the order of the names.</summary>
    public DnsAnswer[] Resolve(IReadOnlyList<string> names)
    {
        using ReceiveBatch received = _socket.CreateReceiveBatch();
        using SendBatch queries = _socket.CreateSendBatch(new SendBatchOptions { Capacity = MaxOpen });
        byte[][] questions = [.. names.Select(DnsQuery.QuestionOf)];
        var answers = new DnsAnswer[names.Count];
        int next = 0;
        while (next < names.Count || _open.Count > 0)
        {
            for (; next < names.Count && _open.Count < MaxOpen; next++)
            {
                ushort id;
                do id = (ushort)RandomNumberGenerator.GetInt32(ushort.MaxValue + 1);
                while (_open.ContainsKey(id));
                _open.Add(id, new Query { Index = next, DueAt = time.GetTimestamp() });
            }

            SendDue(queries, questions);
            if (_open.Count == 0) continue;
            if (_socket.Receive(received, UntilDue()) == ReceiveStatus.Closed) break;
            foreach (Datagram datagram in received) Take(datagram, questions, answers);
        }

        return answers;
    }

    public void Dispose() => _socket.Dispose();

    // New queries and those that are asked again leave together, in one call. The batch has room for all open ones.
    private void SendDue(SendBatch queries, byte[][] questions)
    {
        long now = time.GetTimestamp();
        foreach ((ushort id, Query query) in _open)
        {
            if (query.DueAt > now) continue;
            if (query.Tries == MaxTries)
            {
                _open.Remove(id);
                continue;
            }

            // A query that finds the batch full counts as lost on the way.
            byte[] question = questions[query.Index];
            if (queries.TryReserve(server, DnsQuery.HeaderBytes + question.Length, out Span<byte> payload))
            {
                DnsQuery.Write(id, question, payload);
            }

            query.DueAt = now + (long)(firstTimeout.TotalSeconds * time.TimestampFrequency * (1 << query.Tries));
            query.Tries++;
        }

        _socket.Send(queries);
    }

    private TimeSpan UntilDue()
    {
        long dueAt = _open.Values.Min(static query => query.DueAt);
        TimeSpan left = time.GetElapsedTime(time.GetTimestamp(), dueAt);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    // Forged, late and repeated answers find no query, or another question. They change nothing.
    private void Take(in Datagram datagram, byte[][] questions, DnsAnswer[] answers)
    {
        if (datagram.Peer != server || datagram.IsTruncated) return;
        if (!DnsQuery.TryReadId(datagram.Payload, out ushort id)) return;
        if (!_open.TryGetValue(id, out Query? query)) return;
        if (!DnsQuery.TryRead(datagram.Payload, questions[query.Index], out DnsAnswer answer)) return;
        answers[query.Index] = answer;
        _open.Remove(id);
    }

    private sealed class Query
    {
        public int Index { get; init; }

        public int Tries { get; set; }

        public long DueAt { get; set; }
    }
}
