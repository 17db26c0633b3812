using System.Net.Sockets;
using Spate.Sockets.Rio;
using Spate.StandIn;

namespace Spate.Tests.Sockets.Rio;

/// <summary>
/// Calls of Registered I/O that fail, each at its n-th time: nothing is lost, hangs or breaks a rule.
/// </summary>
[ProcessWide("the broken rules that the stand-in notes are the process's")]
[OverStandIn("Registered I/O")]
public sealed class RioFaultTests
{
    private const int NoBuffers = (int)SocketError.NoBufferSpaceAvailable;

    private static readonly RioShape Small = new(SlotCount: 8, PayloadBytes: 100);

    public static TheoryData<RioCall, int, int> EveryNth
    {
        get
        {
            TheoryData<RioCall, int, int> rows = [];
            foreach (RioCall call in (RioCall[])[RioCall.Receive, RioCall.Commit, RioCall.Notify])
            {
                foreach (int n in (int[])[1, 2, 3, 7])
                {
                    rows.Add(call, n, NoBuffers);
                    rows.Add(call, n, (int)SocketError.InvalidArgument);
                }
            }

            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(EveryNth))]
    public void Receive_EveryNthCallFails_GetsAllThatWasPosted(RioCall failing, int n, int error)
    {
        RioModel.Require();

        // With each first call failing there would be no others.
        int step = Math.Max(n, 2);
        RioFaults faults = new() { Error = (call, number) => call == failing && number % step == n % step ? error : 0 };
        using (RioSocket<FaultyRioCalls> rio = RioModel.Open(Small, faults))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch(new() { SlotCount = 3 });
            long next = 0;
            for (int i = 0; i < 50; i++)
            {
                Wait.Until(() =>
                {
                    rio.Receiver.PrepareToWait();
                    return !rio.Receiver.Parts.Requests.NeedsPost;
                });
                rio.Send(8);
                rio.Receive(batch, 8, ref next);
            }

            Assert.True(faults.CountOf(failing) > n, "The call was never made.");
        }

        RioModel.AssertRulesKept();
    }

    [Theory]
    [InlineData(RioCall.Register)]
    [InlineData(RioCall.CreateCompletions)]
    [InlineData(RioCall.CreateRequests)]
    public void Open_CallFails_ThrowsAndLeavesNothing(RioCall failing)
    {
        RioModel.Require();
        RioFaults faults = new() { Error = (call, _) => call == failing ? NoBuffers : 0 };
        SocketException fault = Assert.Throws<SocketException>(() => RioModel.Open(Small, faults));
        Assert.Equal(SocketError.NoBufferSpaceAvailable, fault.SocketErrorCode);
        RioModel.AssertRulesKept();
    }

    [Fact]
    public void Receive_AllPostsFail_CountsAndRecovers()
    {
        RioModel.Require();
        bool fails = true;
        RioFaults faults = new() { Error = (call, _) => call == RioCall.Receive && fails ? NoBuffers : 0 };
        using (RioSocket<FaultyRioCalls> rio = RioModel.Open(Small, faults))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
            Assert.Equal(ReceiveStatus.Empty, rio.Socket.TryReceive(batch));
            Assert.Equal(ReceiveStatus.TimedOut, rio.Socket.Receive(batch, TimeSpan.FromMilliseconds(5)));
            Assert.False(rio.Receiver.PrepareToWait());
            Assert.True(rio.Socket.GetCounters().NoBufferEvents > 0);
            fails = false;
            Assert.True(rio.Receiver.PrepareToWait());
            long next = 0;
            rio.Send(5);
            rio.Receive(batch, 5, ref next);
        }

        RioModel.AssertRulesKept();
    }

    [Fact]
    public void Receive_CompletionsOfIcmpErrors_AreCountedAndTheSlotsReturn()
    {
        RioModel.Require();
        Queue<int?> statuses = new([(int)SocketError.ConnectionReset, null, (int)SocketError.ConnectionReset, null]);
        RioFaults faults = new() { Status = () => statuses.TryDequeue(out int? status) ? status : null };
        using (RioSocket<FaultyRioCalls> rio = RioModel.Open(Small, faults))
        {
            using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
            rio.Send(4);
            List<long> seen = [];
            while (seen.Count < 2)
            {
                Assert.Equal(ReceiveStatus.Received, rio.Socket.Receive(batch, RioModel.Patience));
                foreach (Datagram one in batch) seen.Add(BitConverter.ToInt64(one.Payload));
            }

            Assert.Equal([1L, 3L], seen);
            Assert.Equal(2, rio.Socket.GetCounters().IcmpErrors);
            Assert.Equal(Small.SlotCount, rio.Receiver.Parts.Requests.PostedCount);
        }

        RioModel.AssertRulesKept();
    }

    [Fact]
    public void Receive_CorruptQueue_ThrowsEachTimeAndCloses()
    {
        RioModel.RequireModel();
        RioSocket<WindowsRioCalls> rio = RioModel.Open(Small);
        using ReceiveBatch batch = rio.Socket.CreateReceiveBatch();
        WinsockModel.Set("corrupt", 1);
        for (int i = 0; i < 3; i++)
        {
            SocketException fault = Assert.Throws<SocketException>(() => rio.Socket.TryReceive(batch));
            Assert.Contains("RIO_CORRUPT_CQ", fault.Message, StringComparison.Ordinal);
            Assert.True(rio.Receiver.PrepareToWait(), "The next receive is to report it.");
        }

        rio.Dispose();
        RioModel.AssertRulesKept();
    }
}
