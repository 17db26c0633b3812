using System.Diagnostics;
using System.IO.MemoryMappedFiles;
using Spate.Gateway;
using Spate.HostTests.Gateway.Brokers;

namespace Spate.HostTests.Gateway.Failures;

/// <summary>
/// Gateways that are killed at random moments. One process has twenty of them, each in another phase of its work, so
/// ten kills are two hundred moments.
/// </summary>
[Collection(BrokerCollection.Name)]
public sealed class KilledGatewayTests
{
    private const int GatewaysPerKill = 20;
    private const int MaxLifeMilliseconds = 400;

    private readonly RabbitBroker _broker;

    public KilledGatewayTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Kill_AtRandomMoments_NothingThatWasConfirmedIsMissing()
    {
        Random random = RandomCase.Create();
        string stream = await _broker.DeclareStreamAsync();
        var confirmed = new Dictionary<string, long>(StringComparer.Ordinal);
        int kills = TestWidth.Of(10, full: 50);
        for (int i = 0; i < kills; i++)
        {
            await KillAsync(stream, i * GatewaysPerKill, random.Next(1, MaxLifeMilliseconds), confirmed);
        }

        GatewayFindings findings = await GatewayBench.ReadAsync(_broker, stream);

        Assert.Equal(kills * GatewaysPerKill, confirmed.Count);
        Assert.Equal(0L, findings.CommittedMissing);
        Assert.Equal(0, findings.MessagesUnreadable);
        Assert.True(confirmed.Values.Sum() > 0);
        foreach (GatewayKeyFindings key in findings.Keys)
        {
            // No accounting message ends a run that was killed. What it had confirmed is there without a gap.
            Assert.Equal(GatewayEpochState.Open, key.State);
            Assert.Equal(0L, key.Missing);
            long known = confirmed[key.Key.GatewayId];
            Assert.True(key.Datagrams >= known, $"{key.Key}: {key.Datagrams} read, {known} confirmed");
        }
    }

    private async Task KillAsync(string stream, int firstId, int lifeMilliseconds, Dictionary<string, long> confirmed)
    {
        string path = Path.GetTempFileName();
        using (var file = MemoryMappedFile.CreateFromFile(path, FileMode.Open, null, 8L * GatewaysPerKill))
        {
            string program = Path.Combine(AppContext.BaseDirectory, "Spate.GatewayVictim.dll");
            var start = new ProcessStartInfo(
                "dotnet", [program, _broker.Target, stream, $"{firstId}", $"{GatewaysPerKill}", path])
            {
                RedirectStandardOutput = true,
                UseShellExecute = false,
            };
            using Process victim = Process.Start(start)!;
            try
            {
                Assert.Equal("ready", await victim.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));

                // A random moment is what the test is about.
                using var life = new PeriodicTimer(TimeSpan.FromMilliseconds(lifeMilliseconds));
                await life.WaitForNextTickAsync(TestContext.Current.CancellationToken);
            }
            finally
            {
                victim.Kill();
                await victim.WaitForExitAsync(CancellationToken.None);
            }

            using MemoryMappedViewAccessor view = file.CreateViewAccessor();
            for (int i = 0; i < GatewaysPerKill; i++) confirmed[$"victim-{firstId + i}"] = view.ReadInt64(8L * i);
        }

        File.Delete(path);
    }
}
