using Spate.Gateway;
using Spate.Gateway.Reading;

namespace Spate.Tests.Gateway.Reading;

public sealed class ReadPositionTests
{
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1);

    [Fact]
    public void IsAtEnd_OnlyWhereEverythingBeforeALaterMessageWasRead()
    {
        var position = new ReadPosition(GatewayOffset.First);
        Assert.True(position.TryAdvance(8));
        position.FindLater(10);
        Assert.False(position.IsAtEnd);
        Assert.True(position.TryAdvance(9));
        Assert.True(position.IsAtEnd);
    }

    [Fact]
    public void TryAdvance_OffsetReadBefore_IsRefused()
    {
        var position = new ReadPosition(GatewayOffset.First);
        Assert.True(position.TryAdvance(8));

        Assert.False(position.TryAdvance(8));
        Assert.False(position.TryAdvance(3));
        Assert.Equal(GatewayOffset.At(8), position.Resume);
    }

    [Fact]
    public void IsBeforeJump_OnlyWhereOffsetsAreLeftOut()
    {
        var position = new ReadPosition(GatewayOffset.First);
        Assert.False(position.IsBeforeJump(5));
        Assert.True(position.TryAdvance(5));
        Assert.False(position.IsBeforeJump(5));
        Assert.False(position.IsBeforeJump(6));
        Assert.True(position.IsBeforeJump(7));
    }

    [Fact]
    public void IsSilentAtEnd_BeforeTheLastChunk_IsFalseForEver()
    {
        var position = new ReadPosition(GatewayOffset.First);
        position.FindChunk(100);
        Assert.True(position.TryAdvance(99));

        Assert.False(position.IsSilentAtEnd(TimeSpan.FromHours(1), Quiet));
        Assert.True(position.TryAdvance(100));
        Assert.True(position.IsSilentAtEnd(Quiet, Quiet));
    }

    [Fact]
    public void IsSilentAtEnd_NothingKnown_WaitsLonger()
    {
        var position = new ReadPosition(GatewayOffset.First);

        Assert.False(position.IsSilentAtEnd(Quiet, Quiet));
        Assert.True(position.IsSilentAtEnd(3 * Quiet, Quiet));
    }

    [Fact]
    public void IsSilentAtEnd_BegunBehindTheLastChunk_IsTrue()
    {
        var position = new ReadPosition(GatewayOffset.At(200));
        position.FindChunk(100);

        Assert.True(position.IsSilentAtEnd(Quiet, Quiet));
    }

    [Fact]
    public void At_NegativeNumber_IsRefused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => GatewayOffset.At(-1));
}
