using System.Net.Sockets;
using Spate.Sockets;
using Spate.TestHelpers.Diagnostics;

namespace Spate.Tests.Sockets;

/// <summary>What a receive does about errors that only some systems and modules of the kernel can make.</summary>
public sealed class ReceiveFaultsTests
{
    [Fact]
    public void Handle_ErrorOfAnIcmpMessagesNameThatLasts_IsRepeatedAFewTimesThenReported()
    {
        const int maxAttemptCount = 5;
        using var events = new SpateEvents();
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        SocketContext context = new(socket, new UdpSocketOptions(), default);
        ReceiveFaults faults = new(context, error => ((SocketError)error).ToString(), maxAttemptCount);
        var deadline = new Deadline(TimeProvider.System, 0);
        ReceiveBackOff backOff = default;

        int callCount = 1;
        ReceiveStatus? ended;
        while ((ended = Handle(ref backOff)) is null) callCount++;

        Assert.Equal(Receiver.RetryLater, ended);
        Assert.Equal(maxAttemptCount, callCount);
        Assert.Equal(1, context.Counters.Read().UnknownErrors);
        Assert.Contains(
            events.Written, written => written.Name is "UnknownReceiveError" && written.Payload[0] is "AccessDenied");

        ReceiveStatus? Handle(ref ReceiveBackOff state) =>
            faults.Handle(ErrnoAction.PendingError, (int)SocketError.AccessDenied, deadline, ref state);
    }
}
