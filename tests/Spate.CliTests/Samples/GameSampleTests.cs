using System.Buffers.Binary;
using System.Net;

namespace Spate.CliTests.Samples;

/// <summary>The game server: joining by cookie, the state of the world, and the farewell.</summary>
public sealed class GameSampleTests
{
    private static readonly byte[] Join = [(byte)'J', .. new byte[15]];

    [Fact]
    public async Task Players_WhoJoinByCookie_SeeEachOtherAlsoDuringAnAttack()
    {
        TestWidth.SkipUnlessLong(RunningSample.WholeProgram);
        await using RunningSample sample = await RunningSample.StartAsync("GameServer");
        await PlayAsync(sample.EndPoint, async () =>
            Assert.StartsWith("2 joined, ", await sample.EndAsync(), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Handler_PlayersWhoJoinByCookie_SeeEachOtherAlsoDuringAnAttack()
    {
        await using var sample = new ServedSample<GameHandler>(
            TimeSpan.FromMilliseconds(50), static shard => new GameHandler(shard));
        await PlayAsync(sample.EndPoint, async () =>
        {
            await sample.StopAsync();
            Assert.Equal(2, sample.Handler!.JoinedCount);
        });
    }

    [Fact]
    public async Task Cookie_OfAnotherPeer_IsRefused()
    {
        await using var sample = new ServedSample<GameHandler>(
            TimeSpan.FromMilliseconds(50), static shard => new GameHandler(shard));
        using var owner = new SampleClient(sample.EndPoint);
        using var thief = new SampleClient(sample.EndPoint);
        byte[] cookie = await owner.AskAsync(Join, static answer => answer is [(byte)'C', ..]);

        await thief.SendAsync([(byte)'K', .. cookie[1..]]);
        await thief.AskAsync(Join, static answer => answer is [(byte)'C', ..]);

        await sample.StopAsync();
        Assert.Equal(0, sample.Handler!.JoinedCount);
    }

    private static async Task PlayAsync(IPEndPoint server, Func<Task> endAsync)
    {
        using var first = new SampleClient(server);
        using var second = new SampleClient(server);

        int firstId = await JoinAsync(first);
        await SampleAttack.SendAsync(server, RandomCase.Create(), Join, [(byte)'K', .. new byte[8]], [(byte)'M', 1, 1]);
        int secondId = await JoinAsync(second);
        Assert.NotEqual(firstId, secondId);

        // A move must not be sent twice. An answer shows that nothing waits before it; what is asked again moves by 0.
        await first.AskAsync(Join, static answer => answer is [(byte)'C', ..]);
        await first.SendAsync([(byte)'M', 3, unchecked((byte)-4)]);
        byte[] stay = [(byte)'M', 0, 0];
        await second.AskAsync(stay, state => Find(state, firstId) is (3, -4));
        await first.AskAsync(stay, state => Find(state, secondId) is (0, 0));

        await endAsync();
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        while (await first.ReceiveAsync(patience.Token) is not [(byte)'E']) continue;
    }

    private static async Task<int> JoinAsync(SampleClient client)
    {
        byte[] cookie = await client.AskAsync(Join, static answer => answer is [(byte)'C', ..]);
        byte[] welcome = await client.AskAsync(
            [(byte)'K', .. cookie[1..]], static answer => answer is [(byte)'W', _, _, _, _]);
        return BinaryPrimitives.ReadInt32BigEndian(welcome.AsSpan(1));
    }

    private static (int X, int Y)? Find(byte[] state, int id)
    {
        if (state is not [(byte)'S', ..]) return null;
        for (int at = 6; at + 8 <= state.Length; at += 8)
        {
            if (BinaryPrimitives.ReadInt32BigEndian(state.AsSpan(at)) != id) continue;
            return (BinaryPrimitives.ReadInt16BigEndian(state.AsSpan(at + 4)),
                BinaryPrimitives.ReadInt16BigEndian(state.AsSpan(at + 6)));
        }

        return null;
    }
}
