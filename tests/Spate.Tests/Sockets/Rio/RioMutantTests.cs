using System.Net.Sockets;
using Spate.Sockets.Rio;
using Spate.StandIn;

namespace Spate.Tests.Sockets.Rio;

/// <summary>
/// A mutant of the backend for each rule that the stand-in enforces: the stand-in catches it, and the same course
/// without the mutation breaks no rule.
/// </summary>
[ProcessWide("the broken rules that the stand-in notes are the process's")]
[OverStandIn("Registered I/O")]
public sealed class RioMutantTests
{
    private const int InvalidPointer = (int)SocketError.Fault;
    private const int NoBuffers = (int)SocketError.NoBufferSpaceAvailable;

    private static readonly RioShape Small = new(SlotCount: 4, PayloadBytes: 100);

    [Fact]
    public void Course_WithoutMutation_BreaksNoRule()
    {
        (RioMutant mutant, ReceiveStatus status, string[] violations) = Run(RioRule.None);
        Assert.Equal([0], mutant.Errors);
        Assert.Equal(ReceiveStatus.Received, status);
        Assert.Empty(violations);
    }

    [Theory]
    [InlineData(RioRule.OneNotification, (int)SocketError.AlreadyInProgress)]
    [InlineData(RioRule.NotificationAtTheStart, (int)SocketError.InvalidArgument)]
    [InlineData(RioRule.SliceInside, InvalidPointer)]
    [InlineData(RioRule.Registered, InvalidPointer)]
    [InlineData(RioRule.RequestsOfTheQueue, NoBuffers)]
    public void Course_RuleOfACall_IsRefused(RioRule broken, int error)
    {
        (RioMutant mutant, _, _) = Run(broken);
        Assert.Contains(error, mutant.Errors);
    }

    [Theory]
    [InlineData(RioRule.MemoryOfItsOwn, "in use by another request")]
    [InlineData(RioRule.OneThreadTakes, "RIODequeueCompletion: another thread")]
    [InlineData(RioRule.OneThreadPosts, "RIOReceive: another thread")]
    [InlineData(RioRule.MemoryToTheEnd, "requests still use the buffer")]
    [InlineData(RioRule.QueueToTheEnd, "requests are not dequeued yet")]
    public void Course_RuleOfTheUse_IsNoted(RioRule broken, string violation)
    {
        (_, _, string[] violations) = Run(broken);
        Assert.Contains(violations, one => one.Contains(violation, StringComparison.Ordinal));
    }

    [Fact]
    public void Course_EntriesOfTheQueueTooFew_IsRefusedAtTheOpen()
    {
        SocketException fault = Assert.Throws<SocketException>(() => Run(RioRule.EntriesOfTheQueue));
        Assert.Equal(SocketError.NoBufferSpaceAvailable, fault.SocketErrorCode);
    }

    [Fact]
    public void Course_NeverCommitted_ReceivesNothing()
    {
        (_, ReceiveStatus status, _) = Run(RioRule.Committed);
        Assert.Equal(ReceiveStatus.Empty, status);
        ModelCounts counts = WinsockModel.Read();
        Assert.Equal((0, 2), (counts.RioReceived, counts.RioDropped));
    }

    private static (RioMutant Mutant, ReceiveStatus Status, string[] Violations) Run(RioRule broken)
    {
        RioModel.RequireModel();
        WinsockModel.Set("linger", 1);
        RioMutant mutant = new();
        ReceiveStatus status = ReceiveStatus.None;
        using (RioSocket<MutantRioCalls> rio = new(Small, calls => new MutantRioCalls(calls, broken, mutant)))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
            try
            {
                rio.Receiver.PrepareToWait();
                rio.SendAndSettle(2);
                status = rio.Socket.TryReceive(batch);
                UseQueues(rio, batch, broken);
            }
            catch (Exception fault) when (fault is SocketException or InvalidOperationException)
            {
                // The queue is corrupt after two threads were in it; or the receive reports wrong arguments.
            }

            mutant.End();
        }

        List<string> violations = [];
        while (WinsockModel.TakeViolation() is { } violation) violations.Add(violation);
        return (mutant, status, [.. violations]);
    }

    // Makes calls until the other thread of a mutant has met one.
    private static void UseQueues(RioSocket<MutantRioCalls> rio, ReceiveBatch batch, RioRule broken)
    {
        if (broken is not (RioRule.OneThreadTakes or RioRule.OneThreadPosts)) return;
        Wait.Until(() =>
        {
            rio.Send(2);
            rio.Socket.TryReceive(batch);
            return WinsockModel.Read().Violations > 0;
        });
    }
}
