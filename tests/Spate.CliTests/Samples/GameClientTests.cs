using System.Collections.Concurrent;

namespace Spate.CliTests.Samples;

/// <summary>The client that joins a game: silence, repeated answers and forged ones.</summary>
public sealed class GameClientTests
{
    private const int MaxTries = 6;

    [Fact]
    public async Task Join_RequestsAndAnswersLost_JoinsOnce()
    {
        await using ServedSample<GameHandler> sample = Serve();
        HostilePath? path = null;
        var lost = new ConcurrentDictionary<byte, bool>();
        IEnumerable<byte[]> LoseTheFirst(byte[] payload)
        {
            if (!lost.TryAdd(payload[0], true)) return [payload, payload];
            path!.EndTimeouts();
            return [];
        }

        path = new HostilePath(sample.EndPoint, LoseTheFirst, LoseTheFirst);
        await using (path)
        {
            Assert.Equal(1, await JoinAsync(path));
        }

        Assert.Superset(new HashSet<byte>([.. "JCKW"u8]), new HashSet<byte>(lost.Keys));
        await sample.StopAsync();
        Assert.Equal(1, sample.Handler!.JoinedCount);
    }

    [Fact]
    public async Task Join_ForgedAnswers_AreIgnored()
    {
        await using ServedSample<GameHandler> sample = Serve();
        HostilePath? path = null;
        path = new HostilePath(sample.EndPoint, HostilePath.Pass, answer =>
        {
            path!.SendByStranger([(byte)'C', .. new byte[8]]);
            path.SendByStranger([(byte)'W', 0, 0, 0, 66]);

            // A welcome before the cookie, a challenge after it, and messages of other lengths.
            return answer[0] == 'C'
                ? [[(byte)'W', 0, 0, 0, 66], [(byte)'C'], [], answer]
                : [[(byte)'C', .. new byte[8]], [(byte)'W', 0, 0, 66], answer];
        });
        await using (path)
        {
            Assert.Equal(1, await JoinAsync(path));
        }
    }

    [Fact]
    public async Task Join_SilentServer_GivesUpAfterTheLastTry()
    {
        int requestCount = 0;
        HostilePath? path = null;
        path = new HostilePath(server: null, request =>
        {
            requestCount++;
            path!.EndTimeouts();
            return [];
        });
        await using (path)
        {
            Assert.Null(await JoinAsync(path));
            Assert.Equal(MaxTries, requestCount);
        }
    }

    private static ServedSample<GameHandler> Serve() =>
        new(TimeSpan.FromMilliseconds(50), static shard => new GameHandler(shard));

    private static Task<int?> JoinAsync(HostilePath path) => Task.Run(() =>
    {
        using var client = new GameClient(path.EndPoint, HostilePath.FirstTimeout, path.Time);
        return client.Join();
    });
}
