using Spate.Cli.Bench;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Shell;

namespace Spate.Tests.Cli.Bench.Relay;

[QuietHost("it sends at a rate that loads the CPUs, and none may be lost")]
public sealed class RelayTests
{
    private static readonly CpuPlacement Anywhere = new(null, null, "not pinned");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Run_EveryRelay_RelaysEverythingInOrder()
    {
        var round = new RelayRound(new RelayOptions { DatagramsPerSecond = 2000 }, Anywhere, Cancellation);
        foreach (RelayTarget target in RelayTarget.All.Where(static target => target.UnavailableReason is null))
        {
            foreach (bool usesGso in (bool[])[true, false])
            {
                RelayMeasurement measured = RunPatiently(round, target, usesGso);

                Assert.True(measured.Sent > 0, target.Name);
                Assert.Equal((target.Name, measured.Sent, 0L), (target.Name, measured.Received, measured.Reordered));
            }
        }
    }

    [Fact]
    public void Run_LeastRate_RelaysSomething()
    {
        var round = new RelayRound(
            new RelayOptions { DatagramsPerSecond = RelayOptions.MinRate }, Anywhere, Cancellation);

        Assert.True(RunPatiently(round, RelayTarget.All[1], usesGso: false).Received > 0);
    }

    // A busy machine may not run the generator at all in the short time. The longer one has some thousand datagrams,
    // at a rate that every machine relays.
    private static RelayMeasurement RunPatiently(RelayRound round, RelayTarget target, bool usesGso)
    {
        try
        {
            return round.Run(target, usesGso, TimeSpan.FromMilliseconds(50));
        }
        catch (BenchException e) when (e.Message is RelayRound.NothingCame)
        {
            return round.Run(target, usesGso, TimeSpan.FromSeconds(3));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Generator_ATenthOfASecond_SendsNumberedDatagramsAtTheRate(bool usesGso)
    {
        using var sink = new RelaySink(cpu: null);
        var options = new RelayOptions { DatagramsPerSecond = 64_000 };
        using var generator = new RelayGenerator(
            options, usesGso, sink.LocalEndPoint, TimeSpan.FromSeconds(0.1), cpu: null);

        generator.Start();
        generator.Join();

        Assert.True(SpinWait.SpinUntil(() => sink.Received == generator.Sent, TimeSpan.FromSeconds(30)));
        sink.Stop();
        Assert.Equal(0, sink.Reordered);
        Assert.Equal(0, generator.Sent % RelayGenerator.BurstDatagrams);
        Assert.InRange(generator.Sent, 1, options.DatagramsPerSecond * generator.Seconds);
    }
}
