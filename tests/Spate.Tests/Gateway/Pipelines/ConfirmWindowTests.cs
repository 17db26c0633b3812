using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>What becomes of published packs, event by event.</summary>
public sealed class ConfirmWindowTests
{
    private const int HeadBytes = 8;

    private readonly ConfirmWindow _window = new(4);
    private readonly List<PackBuffer> _committed = [];

    [Fact]
    public void Confirm_Multiple_CommitsAllUpToIt()
    {
        PackBuffer[] packs = Publish(4);
        Assert.False(_window.HasRoom);
        _window.Confirm(3, multiple: true, _committed);
        Assert.Equal(packs[..3], _committed);
        Assert.Equal(1, _window.SentCount);
        Assert.True(_window.HasRoom);
    }

    [Fact]
    public void Confirm_TagZeroMultiple_CommitsAll()
    {
        PackBuffer[] packs = Publish(3);
        _window.Confirm(0, multiple: true, _committed);
        Assert.Equal(packs, _committed);
        Assert.True(_window.IsEmpty);
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(3, false)]
    [InlineData(ulong.MaxValue, false)]
    public void Confirm_TagThatIsNotOpen_Ignored(ulong tag, bool multiple)
    {
        Publish(2);
        _window.Confirm(tag, multiple, _committed);
        _window.Refuse(tag, multiple);
        Assert.Empty(_committed);
        Assert.Equal(2, _window.SentCount);
        Assert.False(_window.MustSettle);
    }

    [Fact]
    public void Confirm_Twice_CommitsOnce()
    {
        Publish(2);
        _window.Confirm(2, multiple: false, _committed);
        _window.Confirm(2, multiple: true, _committed);
        Assert.Equal(2, _committed.Count);
        Assert.Equal(2, _committed.Distinct().Count());
    }

    [Fact]
    public void Confirm_AfterReturn_IsNoCommit()
    {
        PackBuffer[] packs = Publish(2);
        Assert.True(_window.MarkReturned(packs[1].Message.Span, HeadBytes));
        _window.Confirm(2, multiple: true, _committed);
        Assert.Equal([packs[0]], _committed);
        Assert.True(_window.MustSettle);
        Assert.Equal(1, _window.RefusalCount);
        Assert.Same(packs[1], _window.TakeAgain());
        Assert.False(packs[1].IsInDoubt);
    }

    [Fact]
    public void MarkReturned_BodyThatNobodySent_False()
    {
        Publish(2);
        Assert.False(_window.MarkReturned("something else"u8, HeadBytes));
        Assert.False(_window.MarkReturned([], HeadBytes));
    }

    [Fact]
    public void Refuse_OneInTheMiddle_GoesAgainWhenTheOthersAreSettled()
    {
        PackBuffer[] packs = Publish(3);
        _window.Refuse(2, multiple: false);
        Assert.True(_window.MustSettle);
        _window.Confirm(3, multiple: true, _committed);
        Assert.Equal([packs[0], packs[2]], _committed);
        Assert.Equal(0, _window.SentCount);
        _window.EndSettling();
        PackBuffer? again = _window.TakeAgain();
        Assert.Same(packs[1], again);
        Assert.Equal(4ul, _window.Add(again!));
    }

    [Fact]
    public void Lose_SentAndRefused_AllGoAgainInTheOrderOfTheirFirstPublish()
    {
        PackBuffer[] packs = Publish(4);
        _window.Refuse(3, multiple: false);
        _window.Confirm(1, multiple: false, _committed);
        _window.Lose();
        Assert.False(_window.MustSettle);
        Assert.Equal(3, _window.AgainCount);
        Assert.Equal((2L, 1L), _window.CountDatagrams());
        Assert.Same(packs[1], _window.TakeAgain());
        Assert.Equal(1ul, _window.Add(packs[1]));
        Assert.Same(packs[2], _window.TakeAgain());
        Assert.Same(packs[3], _window.TakeAgain());
        Assert.Equal((true, false, true), (packs[1].IsInDoubt, packs[2].IsInDoubt, packs[3].IsInDoubt));
    }

    [Fact]
    public void Lose_Returned_IsRefusedAndNotInDoubt()
    {
        PackBuffer[] packs = Publish(1);
        _window.MarkReturned(packs[0].Message.Span, HeadBytes);
        _window.Lose();
        Assert.False(packs[0].IsInDoubt);
        Assert.Equal(1, packs[0].RefusalCount);
    }

    private PackBuffer[] Publish(int count)
    {
        PackBuffer[] packs = new PackBuffer[count];
        for (int i = 0; i < count; i++)
        {
            packs[i] = new PackBuffer(16) { Count = 1, UsedBytes = 16 };
            packs[i].Bytes.AsSpan().Fill((byte)i);
            _window.Add(packs[i]);
        }

        return packs;
    }
}
