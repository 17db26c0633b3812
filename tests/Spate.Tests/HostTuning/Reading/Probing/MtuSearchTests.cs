using Spate.HostTuning.Reading.Probing;

namespace Spate.Tests.HostTuning.Reading.Probing;

public sealed class MtuSearchTests
{
    private static readonly EchoAnswer Passed = new(true, null, null, false);

    [Theory]
    [InlineData(9000, 9000, 2)]
    [InlineData(9000, 1500, 20)]
    [InlineData(9000, 1437, 40)]
    [InlineData(1500, 1420, 20)]
    [InlineData(1500, 576, 40)]
    [InlineData(65_535, 65_534, 40)]
    public void Run_RouterWithoutAMessage_FindsTheByte(int maxBytes, int pathBytes, int maxProbes)
    {
        MtuProbe found = Search(pathBytes, known: maxBytes).Run(576, maxBytes, CancellationToken.None);

        Assert.Equal((pathBytes, true), (found.PathBytes, found.IsExact));
        Assert.InRange(found.ProbeCount, 2, maxProbes);
    }

    [Fact]
    public void Run_RouterThatTells_NeedsFewProbes()
    {
        int known = 9000;
        var search = new MtuSearch(
            bytes =>
            {
                if (bytes > 1437) known = 1437;
                return bytes <= 1437 ? Passed : new EchoAnswer(false, null, null, IsTooLong: true);
            },
            () => known);

        MtuProbe found = search.Run(576, 9000, CancellationToken.None);

        Assert.Equal(new MtuProbe(1437, true, null, 4), found);
    }

    [Fact]
    public void Run_TargetThatIsSilent_GivesUpAfterThree()
    {
        var search = new MtuSearch(static _ => default, static () => 1500);

        Assert.Equal(new MtuProbe(null, false, null, 3), search.Run(576, 1500, CancellationToken.None));
    }

    [Fact]
    public void Run_WayBackThatIsNarrower_TellsItsFragments()
    {
        var search = new MtuSearch(
            static bytes => new EchoAnswer(true, bytes > 1400 ? 1396 : null, null, false), static () => 1500);

        Assert.Equal(new MtuProbe(1500, true, 1396, 2), search.Run(576, 1500, CancellationToken.None));
    }

    [Fact]
    public void Run_AnyPathWithLoss_EndsInTimeAndNeverClaimsTooMuch()
    {
        int seed = Environment.TickCount;
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++)
        {
            int pathBytes = random.Next(576, 65_536);
            int maxBytes = random.Next(576, 65_536);
            int lossPercent = random.Next(100);
            var search = new MtuSearch(
                bytes => bytes <= pathBytes && random.Next(100) >= lossPercent ? Passed : default,
                () => random.Next(2) == 0 ? null : random.Next(-1, 100_000));

            MtuProbe found = search.Run(576, maxBytes, CancellationToken.None);

            Assert.True(found.ProbeCount <= MtuSearch.MaxProbes, $"seed {seed}");
            Assert.True((found.PathBytes ?? 0) <= Math.Min(pathBytes, maxBytes), $"seed {seed}");
        }
    }

    private static MtuSearch Search(int pathBytes, int known) =>
        new(bytes => bytes <= pathBytes ? Passed : default, () => known);
}
