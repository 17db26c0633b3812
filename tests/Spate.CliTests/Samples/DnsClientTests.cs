using System.Net;

namespace Spate.CliTests.Samples;

/// <summary>The DNS client: lost queries, and answers that nobody may believe.</summary>
public sealed class DnsClientTests
{
    private const int MaxTries = 3;

    private static readonly IPAddress Address = IPAddress.Parse("192.0.2.2");
    private static readonly IPAddress ForgedAddress = IPAddress.Parse("203.0.113.66");

    [Fact]
    public async Task Resolve_MoreNamesThanMayBeOpen_AnswersAllInOrder()
    {
        await using ServedSample<DnsHandler> sample = Serve();
        await using var path = new HostilePath(sample.EndPoint, HostilePath.Pass);
        string[] names = [.. Enumerable.Range(0, 450).Select(
            static i => i % 3 == 0 ? $"no{i}.example.test" : "www.example.test.")];

        DnsAnswer[] answers = await ResolveAsync(path, names);

        for (int i = 0; i < names.Length; i++)
        {
            Assert.Equal(i % 3 == 0 ? new(DnsStatus.NoSuchName) : new(DnsStatus.Found, Address), answers[i]);
        }
    }

    [Fact]
    public async Task Resolve_FirstTriesLost_AsksAgainByTheSameQueries()
    {
        await using ServedSample<DnsHandler> sample = Serve();
        string[] names = ["a.example.test", "b.example.test", "www.example.test"];
        HashSet<string> queries = [];
        int lostCount = 0;
        HostilePath? path = null;
        path = new HostilePath(sample.EndPoint, query =>
        {
            queries.Add(Convert.ToHexString(query));
            if (lostCount == names.Length * (MaxTries - 1)) return [query];
            if (++lostCount % names.Length == 0) path!.EndTimeouts();
            return [];
        });
        await using (path)
        {
            DnsAnswer[] answers = await ResolveAsync(path, names);

            Assert.Equal([DnsStatus.NoSuchName, DnsStatus.NoSuchName, DnsStatus.Found], answers.Select(a => a.Status));
            Assert.Equal(names.Length, queries.Count);
        }
    }

    [Fact]
    public async Task Resolve_NoAnswer_GivesUpAfterTheLastTry()
    {
        int queryCount = 0;
        HostilePath? path = null;
        path = new HostilePath(server: null, query =>
        {
            queryCount++;
            path!.EndTimeouts();
            return [];
        });
        await using (path)
        {
            DnsAnswer answer = Assert.Single(await ResolveAsync(path, "www.example.test"));

            Assert.Equal(DnsStatus.NoAnswer, answer.Status);
            Assert.Equal(MaxTries, queryCount);
        }
    }

    [Fact]
    public async Task Resolve_ForgedAndRepeatedAnswers_BelievesTheServersFirst()
    {
        await using ServedSample<DnsHandler> sample = Serve();
        HostilePath? path = null;
        path = new HostilePath(sample.EndPoint, HostilePath.Pass, answer =>
        {
            path!.SendByStranger(Changed(answer));
            return
            [
                Changed(answer, static forged => forged[1]++),                        // another id
                Changed(answer, static forged => forged[2] &= 0x7F),                  // a query
                Changed(answer, static forged => forged[5] = 0),                      // no question
                Changed(answer, static forged => forged[13] ^= 0x20),                 // a question in other letters
                Changed(answer)[..^1],                                                // a record that is cut off
                Changed(answer, static forged => forged[6] = 0xFF)[..^16],            // records that are missing
                Changed(answer)[..12],
                answer,
                Changed(answer),                                                      // too late
            ];
        });
        await using (path)
        {
            DnsAnswer[] answers = await ResolveAsync(path, "www.example.test", "WWW.example.TEST");

            Assert.All(answers, static answer => Assert.Equal(new(DnsStatus.Found, Address), answer));
        }
    }

    [Fact]
    public void Answers_SpoiltAtRandom_AreReadOrRefused()
    {
        byte[] question = DnsQuery.QuestionOf("www.example.test");
        byte[] answer = [0, 1, 0x85, 0, 0, 1, 0, 2, 0, 0, 0, 0, .. question,
            0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 3, 1, (byte)'a', 0,
            0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 2];
        Assert.True(DnsQuery.TryRead(answer, question, out DnsAnswer whole));
        Assert.Equal(new DnsAnswer(DnsStatus.Found, Address), whole);

        foreach (byte[] spoilt in SampleAttack.Datagrams(RandomCase.Create(), answer))
        {
            if (DnsQuery.TryReadId(spoilt, out _)) DnsQuery.TryRead(spoilt, question, out _);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("a..b")]
    [InlineData("übel.test")]
    [InlineData("1234567890123456789012345678901234567890123456789012345678901234.test")]
    public void QuestionOf_NameThatDnsLacks_Throws(string name) =>
        Assert.Throws<ArgumentException>(() => DnsQuery.QuestionOf(name));

    private static ServedSample<DnsHandler> Serve()
    {
        Dictionary<string, IPAddress> addresses = new(StringComparer.OrdinalIgnoreCase)
        {
            ["www.example.test"] = Address,
        };
        return new(
            TimeSpan.FromSeconds(1),
            shard => new DnsHandler(shard, addresses.GetAlternateLookup<ReadOnlySpan<char>>()));
    }

    private static Task<DnsAnswer[]> ResolveAsync(HostilePath path, params string[] names) => Task.Run(() =>
    {
        using var client = new DnsClient(path.EndPoint, HostilePath.FirstTimeout, path.Time);
        return client.Resolve(names);
    });

    // With a forged address, which the last bytes of an answer are.
    private static byte[] Changed(byte[] answer, Action<byte[]>? change = null)
    {
        byte[] forged = [.. answer[..^4], .. ForgedAddress.GetAddressBytes()];
        change?.Invoke(forged);
        return forged;
    }
}
