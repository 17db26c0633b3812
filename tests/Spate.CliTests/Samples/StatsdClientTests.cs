using System.Buffers.Binary;
using Spate.Serving;
using StatsdCollector;

namespace Spate.CliTests.Samples;

/// <summary>StatsD with acknowledgements: each line counts once, whatever the path loses or repeats.</summary>
public sealed class StatsdClientTests
{
    private const int HeaderBytes = Acknowledgements.HeaderBytes;
    private const int MaxTries = 5;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(1);

    [Fact]
    public async Task Lines_ManyWindows_AreAcknowledgedAndCountOnce()
    {
        await using var collector = new RunningCollector();
        await using var path = new HostilePath(collector.EndPoint, static request => [request, request]);

        (long acknowledged, long lost) = await SendAsync(path, lineCount: 20_000);

        Assert.Equal((20_000, 0), (acknowledged, lost));
        Assert.StartsWith("counter requests 20000\n", await collector.EndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Lines_DatagramsAndAcknowledgementsLost_CountOnce()
    {
        await using var collector = new RunningCollector();
        HostilePath? path = null;
        var seen = new Dictionary<string, int>(StringComparer.Ordinal);
        int datagramCount = 0, acknowledgementCount = 0;
        path = new HostilePath(
            collector.EndPoint,
            request =>
            {
                // The first try of every datagram is lost; the last one, which is shorter, ends the round.
                string key = Convert.ToHexString(request[..HeaderBytes]);
                seen[key] = seen.GetValueOrDefault(key) + 1;
                if (seen[key] > 1) return [request];
                datagramCount++;
                if (request.Length < 1000) path!.EndTimeouts();
                return [];
            },
            acknowledgement =>
            {
                if (++acknowledgementCount < datagramCount) return [];
                if (acknowledgementCount > datagramCount) return [acknowledgement];
                path!.EndTimeouts();
                return [];
            });
        await using (path)
        {
            Assert.Equal((500, 0), await SendAsync(path, lineCount: 500));
        }

        Assert.InRange(datagramCount, 2, 20);
        Assert.StartsWith("counter requests 500\n", await collector.EndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Lines_ForgedAcknowledgements_AreNotBelieved()
    {
        int tryCount = 0;
        HostilePath? path = null;
        path = new HostilePath(server: null, request =>
        {
            tryCount++;
            byte[] acknowledgement = request.AsSpan(0, HeaderBytes).ToArray();
            path!.SendByStranger(acknowledgement);
            path.SendToClient([.. acknowledgement[..5], (byte)(acknowledgement[5] + 1), .. acknowledgement[6..]]);
            path.SendToClient([.. acknowledgement[..^1], (byte)(acknowledgement[^1] + 1)]);
            path.SendToClient([.. acknowledgement[..^1], (byte)(acknowledgement[^1] + 64)]);
            path.SendToClient([.. acknowledgement, 0]);
            path.SendToClient(acknowledgement[1..]);
            path.EndTimeouts();
            return [];
        });
        await using (path)
        {
            Assert.Equal((0, 10), await SendAsync(path, lineCount: 10));
            Assert.Equal(MaxTries, tryCount);
        }
    }

    [Fact]
    public void Acknowledgements_OfRepeatedAndReorderedDatagrams_CountEachOnce()
    {
        Acknowledgements acknowledgements = new();
        var random = RandomCase.Create();
        uint first = uint.MaxValue - 100;   // numbers wrap
        var counted = new HashSet<uint>();
        for (int i = 0; i < 3000; i++)
        {
            // Within the window of the newest number, each comes several times.
            uint sequence = first + (uint)((i / 10) + random.Next(Acknowledgements.Window - 30));
            byte[] datagram = Datagram(token: 1, sequence);
            Assert.True(acknowledgements.TryRead(Peer, datagram, out var lines, out var acknowledgement));
            Assert.Equal(datagram.AsSpan(0, HeaderBytes), acknowledgement);
            Assert.Equal(counted.Add(sequence), !lines.IsEmpty);
        }

        // Another program at the same port begins again; so does no other peer's.
        Assert.True(acknowledgements.TryRead(Peer, Datagram(token: 2, first), out var linesOfNext, out _));
        Assert.False(linesOfNext.IsEmpty);
        Assert.True(acknowledgements.TryRead(Peer, Datagram(token: 2, first), out var repeated, out _));
        Assert.True(repeated.IsEmpty);
    }

    [Fact]
    public void Acknowledgements_DatagramsThatAskForNone_GetNone()
    {
        Acknowledgements acknowledgements = new();
        foreach (byte[] datagram in (byte[][])[[], [0], new byte[HeaderBytes - 1], [.. "requests:1|c, as always"u8]])
        {
            Assert.True(acknowledgements.TryRead(Peer, datagram, out var lines, out var acknowledgement));
            Assert.Equal(datagram, lines);
            Assert.True(acknowledgement.IsEmpty);
        }
    }

    private static byte[] Datagram(ulong token, uint sequence)
    {
        byte[] datagram = [0, .. new byte[HeaderBytes - 1], .. "a:1|c"u8];
        BinaryPrimitives.WriteUInt64BigEndian(datagram.AsSpan(1), token);
        BinaryPrimitives.WriteUInt32BigEndian(datagram.AsSpan(9), sequence);
        return datagram;
    }

    private static Task<(long Acknowledged, long Lost)> SendAsync(HostilePath path, int lineCount) => Task.Run(() =>
    {
        using var client = new StatsdClient(path.EndPoint, HostilePath.FirstTimeout, path.Time);
        for (int i = 0; i < lineCount; i++) client.Add("requests:1|c");
        client.Flush();
        return (client.AcknowledgedLines, client.LostLines);
    });

    /// <summary>The collector on a server of this process.</summary>
    private sealed class RunningCollector : IAsyncDisposable
    {
        private readonly ServedSample<UdpChannelHandler> _sample =
            new(TimeSpan.FromSeconds(1), static shard => new UdpChannelHandler(shard));

        private readonly MetricTable _metrics = new();
        private readonly Task _running;

        public RunningCollector() => _running = new Collector(_sample.Handler!, _metrics).RunAsync();

        public System.Net.IPEndPoint EndPoint => _sample.EndPoint;

        public async Task<string> EndAsync()
        {
            await _sample.StopAsync();
            await _running;
            return _metrics.TakeText(0).ReplaceLineEndings("\n");
        }

        public ValueTask DisposeAsync() => _sample.DisposeAsync();
    }
}
