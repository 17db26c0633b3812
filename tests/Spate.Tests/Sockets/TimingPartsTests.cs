using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>Deadlines, pauses and the gate.</summary>
public sealed class TimingPartsTests
{
    private readonly FakeTime _time = new();

    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    public void RemainingMilliseconds_ForEverOrNotAtAll_StaysSo(int timeoutMilliseconds)
    {
        var deadline = new Deadline(_time, timeoutMilliseconds);
        _time.Advance(TimeSpan.FromDays(1));

        Assert.Equal(timeoutMilliseconds, deadline.RemainingMilliseconds);
    }

    [Fact]
    public void RemainingMilliseconds_TimePasses_RoundsUpAndEndsAtZero()
    {
        var deadline = new Deadline(_time, 100);

        Assert.Equal(100, deadline.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMicroseconds(100));
        Assert.Equal(100, deadline.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMicroseconds(900));
        Assert.Equal(99, deadline.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMicroseconds(98_999));
        Assert.Equal(1, deadline.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromMicroseconds(1));
        Assert.Equal(0, deadline.RemainingMilliseconds);
        _time.Advance(TimeSpan.FromDays(1000));
        Assert.Equal(0, deadline.RemainingMilliseconds);
    }

    [Fact]
    public void RemainingMilliseconds_LargestTimeout_DoesNotOverflow() =>
        Assert.Equal(int.MaxValue, new Deadline(_time, int.MaxValue).RemainingMilliseconds);

    [Fact]
    public void NextPauseMilliseconds_AgainAndAgain_DoublesToOneSecond()
    {
        ReceiveBackOff backOff = default;

        int[] pauses = [.. Enumerable.Range(0, 13).Select(_ => backOff.NextPauseMilliseconds())];

        Assert.Equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000], pauses);
    }

    [Fact]
    public void TryEnter_AfterClose_Refused()
    {
        var gate = new CallGate();
        Assert.True(gate.TryEnter());

        Assert.True(gate.Close());

        Assert.False(gate.Close());
        Assert.False(gate.TryEnter());
        Assert.False(gate.WaitEmpty(0));
        gate.Leave();
        Assert.True(gate.WaitEmpty(0));
        Assert.False(gate.TryEnter());
        Assert.True(gate.WaitEmpty(0));
    }

    [Fact]
    public void WaitEmpty_LastCallLeaves_Wakes()
    {
        var gate = new CallGate();
        for (int round = 0; round < TestWidth.Of(200, full: 1000); round++)
        {
            gate = new CallGate();
            Assert.True(gate.TryEnter());
            CallGate entered = gate;
            var caller = new Thread(entered.Leave) { IsBackground = true };
            gate.Close();
            caller.Start();
            Assert.True(gate.WaitEmpty((int)FaultySocket.Patience.TotalMilliseconds));
            Assert.True(caller.Join(FaultySocket.Patience));
        }
    }

    [Fact]
    public void WaitEmpty_ManyEnterAndLeave_NobodyInsideAfterwards()
    {
        for (int round = 0; round < TestWidth.Of(40, full: 200); round++)
        {
            var gate = new CallGate();
            int insideCount = 0;
            bool violated = false, empty = false;
            Thread[] callers = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
            {
                while (gate.TryEnter())
                {
                    Interlocked.Increment(ref insideCount);
                    if (Volatile.Read(ref empty)) violated = true;
                    Interlocked.Decrement(ref insideCount);
                    gate.Leave();
                }
            }) { IsBackground = true })];
            foreach (Thread caller in callers) caller.Start();
            Assert.True(gate.Close());
            Assert.True(gate.WaitEmpty((int)FaultySocket.Patience.TotalMilliseconds));
            Volatile.Write(ref empty, true);
            Assert.Equal(0, Volatile.Read(ref insideCount));
            foreach (Thread caller in callers) Assert.True(caller.Join(FaultySocket.Patience));
            Assert.False(violated);
        }
    }
}
