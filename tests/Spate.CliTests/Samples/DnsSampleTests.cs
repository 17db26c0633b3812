using System.Buffers.Binary;
using System.Net;
using System.Text;

namespace Spate.CliTests.Samples;

/// <summary>The DNS responder, asked by queries that are built byte by byte.</summary>
public sealed class DnsSampleTests
{
    private const int HeaderBytes = 12;
    private const int AddressType = 1;
    private const int MailType = 15;

    [Fact]
    public async Task Queries_OfEachKind_AreAnsweredAlsoAfterAnAttack()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("DnsResponder");
        using var client = new SampleClient(sample.EndPoint);

        await CheckAsync(query => AskAsync(client, query));
        await sample.AttackAsync(
            RandomCase.Create(), Query(1, "www.example.test", AddressType), Query(2, "a.b.c", AddressType));
        await CheckAsync(query => AskAsync(client, query));

        Assert.Matches(@"^\d+ handled, \d+ answered\n$", await sample.EndAsync());
    }

    [Fact]
    public async Task Messages_OfEachKind_AreAnsweredAlsoAfterAnAttack()
    {
        await CheckAsync(static query => Task.FromResult(Answer(query)));
        foreach (byte[] datagram in SampleAttack.Datagrams(
            RandomCase.Create(), Query(1, "www.example.test", AddressType), Query(2, "a.b.c", AddressType)))
        {
            Assert.InRange(Answer(datagram).Length, 0, Math.Max(DnsMessage.MaxAnswerBytes, datagram.Length));
        }

        await CheckAsync(static query => Task.FromResult(Answer(query)));
    }

    private static byte[] Answer(byte[] query)
    {
        Dictionary<string, IPAddress> addresses = new(StringComparer.OrdinalIgnoreCase)
        {
            ["www.example.test"] = IPAddress.Parse("192.0.2.2"),
        };
        byte[] answer = new byte[DnsMessage.MaxAnswerBytes];
        return answer[..DnsMessage.Answer(query, addresses.GetAlternateLookup<ReadOnlySpan<char>>(), answer)];
    }

    private static async Task CheckAsync(Func<byte[], Task<byte[]>> askAsync)
    {
        // The flags: an answer (8), of an authority (4), recursion asked for (1); behind them the code of the result.
        byte[] query = Query(0x1234, "WWW.example.test", AddressType);
        byte[] known = await askAsync(query);
        Assert.Equal(0x8500, BinaryPrimitives.ReadUInt16BigEndian(known.AsSpan(2)));
        Assert.Equal(query[HeaderBytes..], known[HeaderBytes..query.Length]);
        Assert.Equal((byte[])[192, 0, 2, 2], known[^4..]);
        Assert.Equal((byte[])[0, 1, 0, 1, 0, 0, 0, 0], known[4..HeaderBytes]);

        byte[] unknown = await askAsync(Query(0x1235, "nowhere.example.test", AddressType));
        Assert.Equal(0x8503, BinaryPrimitives.ReadUInt16BigEndian(unknown.AsSpan(2)));
        Assert.Equal((byte[])[0, 1, 0, 0, 0, 0, 0, 0], unknown[4..HeaderBytes]);

        byte[] otherType = await askAsync(Query(0x1236, "www.example.test", MailType));
        Assert.Equal(0x8500, BinaryPrimitives.ReadUInt16BigEndian(otherType.AsSpan(2)));
        Assert.Equal(0, otherType[7]);

        // A name that points at itself, one that is cut off, and no question: a format error, and nothing but a header.
        byte[] pointer = [.. Query(0x1237, "", AddressType)[..HeaderBytes], 0xC0, HeaderBytes, 0, 1, 0, 1];
        byte[] cut = Query(0x1238, "www.example.test", AddressType)[..^6];
        byte[] none = Query(0x1239, "www.example.test", AddressType);
        none[5] = 0;
        foreach (byte[] wrong in (byte[][])[pointer, cut, none])
        {
            byte[] refused = await askAsync(wrong);
            Assert.Equal(0x8101, BinaryPrimitives.ReadUInt16BigEndian(refused.AsSpan(2)));
            Assert.Equal(HeaderBytes, refused.Length);
        }
    }

    private static Task<byte[]> AskAsync(SampleClient client, byte[] query) => client.AskAsync(
        query, answer => answer.Length >= HeaderBytes && answer.AsSpan(0, 2).SequenceEqual(query.AsSpan(0, 2)));

    private static byte[] Query(ushort id, string name, byte type)
    {
        List<byte> query = [(byte)(id >> 8), (byte)id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        foreach (string label in name.Split('.', StringSplitOptions.RemoveEmptyEntries))
        {
            query.Add((byte)label.Length);
            query.AddRange(Encoding.ASCII.GetBytes(label));
        }

        return [.. query, 0, 0, type, 0, 1];
    }
}
