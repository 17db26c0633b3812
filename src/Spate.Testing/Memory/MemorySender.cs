using System.Net.Sockets;
using Spate.Buffers;
using Spate.Segmentation;
using Spate.Sockets;

namespace Spate.Testing.Memory;

/// <summary>
/// A sender that copies the datagrams into a list. It refuses datagrams that every system refuses. A wait for room in
/// the send buffer passes in virtual time.
/// </summary>
internal sealed class MemorySender(SocketContext context, MemoryNetwork network, int localEndPointIndex)
    : Sender(context, segments: false, usesHeaders: false)
{
    private const int MaxIPv4PayloadBytes = 65_507;

    /// <summary>Copies one datagram of a queue.</summary>
    public static SentDatagram Read(SendQueue queue, in GsoMessage message, int segmentIndex, int localEndPointIndex) =>
        new(message.Peer, queue.Plan.SegmentOf(message, segmentIndex))
        {
            Control = message.ControlIndex == SendRun.NoControl ? default : queue.ControlAt(message.ControlIndex),
            LocalEndPointIndex = localEndPointIndex,
        };

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) =>
        new(GsoLimits.Unsegmented, capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        SendPlan plan = queue.Plan;
        plan.Begin();
        SendCounters counters = new(timeoutMilliseconds);
        long bytes = 0;
        while (plan.HasUnsent)
        {
            GsoMessage message = plan.Messages[plan.NextMessage];
            SocketError error = ErrorOf(message.Peer, message.LastBytes);
            if (error != SocketError.Success)
            {
                CountRefused(error, ref counters);
                network.Refused.Add(new(Read(queue, message, plan.NextSegment, localEndPointIndex), error));
            }
            else if (HasRoom(ref timeoutMilliseconds))
            {
                network.Room--;
                network.Sent.Add(Read(queue, message, plan.NextSegment, localEndPointIndex));
                counters.Sent++;
                bytes += message.LastBytes;
            }
            else
            {
                counters.Status = SendStatus.TimedOut;
                break;
            }

            plan.Advance(1);
        }

        queue.EndSend();
        if (counters.Sent > 0) Context.Counters.CountSend(counters.Sent, counters.Sent, bytes);
        return counters.ToResult(plan.Count);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        throw new NotSupportedException("A shard sends batches only.");

    // Waits in virtual time, once per send. A timer of the test may make room meanwhile.
    private bool HasRoom(ref int timeoutMilliseconds)
    {
        if (network.Room is null or > 0) return true;
        network.Time.Advance(TimeSpan.FromMilliseconds(timeoutMilliseconds));
        timeoutMilliseconds = 0;
        return network.Room is null or > 0;
    }

    private SocketError ErrorOf(in UdpEndPoint peer, int lengthBytes) =>
        peer.Port == 0 ? SocketError.InvalidArgument
        : !peer.IsIPv4 && !Context.IsIPv6 ? SocketError.AddressFamilyNotSupported
        : peer.IsIPv4 && lengthBytes > MaxIPv4PayloadBytes ? SocketError.MessageSize
        : SocketError.Success;
}
