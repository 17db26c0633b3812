using System.Net;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Sockets.Portable;

/// <summary>
/// The sender of the Portable backend: one call for each datagram, in order, also for the datagrams of a GSO message.
/// </summary>
internal sealed class PortableSender(SocketContext context) : Sender(context, segments: false, usesHeaders: false)
{
    private readonly Socket _socket = context.Socket;
    private readonly SocketAddress _address = new(context.Socket.AddressFamily);
    private readonly Lock _lock = new();
    private readonly PortableWait _wait = new(context);
    private UdpEndPoint _sendPeer;

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) =>
        new(GsoLimits.Unsegmented, capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        if (queue.HasControls)
        {
            throw new PlatformNotSupportedException(
                "The portable backend cannot choose source address or traffic class per datagram: "
                + "use the Mmsg backend on Linux.");
        }

        SendPlan plan = queue.Plan;
        if (Context.IsConnected) plan.NameDefaultPeer(Context.Remote);
        plan.Begin();
        SendCounters counters = new(timeoutMilliseconds);
        long bytes = 0;
        while (plan.HasUnsent)
        {
            GsoMessage message = plan.Messages[plan.NextMessage];
            ReadOnlySpan<byte> payload = plan.SegmentOf(message, plan.NextSegment);
            if (SendDatagram(payload, message.Peer, ref counters)) bytes += payload.Length;
            if (counters.Status != SendStatus.Done) break;
            plan.Advance(1);
            counters.ForgetErrors();
        }

        queue.EndSend();
        if (counters.Sent > 0) Context.Counters.CountSend(counters.Sent, counters.Sent, bytes);
        return counters.ToResult(plan.Count);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        SendCounters counters = new(timeoutMilliseconds);
        if (SendDatagram(payload, peer, ref counters)) Context.Counters.CountSend(1, 1, payload.Length);
        return counters.ToResult(remaining: 1 - counters.Sent - counters.Refused);
    }

    // Returns whether the datagram was sent. If not, it was refused, or the send ends and has another status than Done.
    private bool SendDatagram(ReadOnlySpan<byte> payload, in UdpEndPoint peer, ref SendCounters counters)
    {
        while (true)
        {
            SocketError error = TrySend(payload, peer);
            if (error == SocketError.Success)
            {
                counters.Sent++;
                return true;
            }

            if (TryGoOn(error, ref counters)) continue;
            if (counters.Status == SendStatus.Done) CountRefused(error, ref counters);
            return false;
        }
    }

    // Reacts to an error, which may include a wait. Returns true to retry the same datagram. Returns false with status
    // Done if the datagram is refused, and false with another status if the send ends.
    private bool TryGoOn(SocketError error, ref SendCounters counters)
    {
        switch (Context.IsClosed ? ErrnoAction.Closed : SocketErrorPolicy.Of((int)error).SendOne)
        {
            case ErrnoAction.Retry:
                return true;
            case ErrnoAction.PendingError when !SocketErrorPolicy.MayBeRoute((int)error):
                if (++counters.PendingErrorCount > SendCounters.MaxPendingErrorCount) return false;
                Context.Counters.CountIcmpError();
                Context.NoteIcmpErrorOfSend(error);
                Context.Errors.Drain(out _);
                return true;
            case ErrnoAction.PendingError or ErrnoAction.RefuseDatagram
                when !counters.MetDoubtfulError && Context.IsConnected && IsDoubtful((int)error):
                // The error belongs either to an earlier datagram or to this one. In the first case the call has
                // cleared the error; in the second case the retry gets it again.
                counters.MetDoubtfulError = true;
                Context.Counters.CountIcmpError();
                return true;
            case ErrnoAction.WouldBlock:
                int remaining = counters.RemainingMilliseconds(Context.Options.TimeProvider);
                if (_wait.Wait(SelectMode.SelectWrite, remaining)) return true;
                counters.Status = Context.IsClosed ? SendStatus.Closed : SendStatus.TimedOut;
                return false;
            case ErrnoAction.NoBuffers:
                return PauseSend(ref counters);
            case ErrnoAction.Closed:
                counters.Status = SendStatus.Closed;
                return false;
            default:
                return false;
        }
    }

    private static bool IsDoubtful(int error) =>
        SocketErrorPolicy.MayBeRoute(error) || SocketErrorPolicy.MayBePending(error);

    private SocketError TrySend(ReadOnlySpan<byte> payload, in UdpEndPoint peer)
    {
        // Refuses port 0 without a call: the system would refuse it with the same error, but by an exception for each
        // datagram. A reply goes to port 0 if the received datagram had port 0 as its source.
        if (peer.Port == 0 && !peer.IsDefault) return SocketError.InvalidArgument;
        try
        {
            lock (_lock)
            {
                if (peer.IsDefault || (Context.IsConnected && peer == Context.Remote))
                {
                    _socket.Send(payload, SocketFlags.None, out SocketError error);
                    return error;
                }

                SetSendAddress(peer);
                _socket.SendTo(payload, SocketFlags.None, _address);
                return SocketError.Success;
            }
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode;
        }
    }

    // Writes the peer's address for SendTo, if it has changed: consecutive datagrams usually go to the same peer.
    // Called under the lock.
    private void SetSendAddress(in UdpEndPoint peer)
    {
        if (peer == _sendPeer) return;
        UdpEndPoint native = Context.IsIPv6 && peer.IsIPv4 ? peer.ToMapped() : peer;

        // Throws for an address of another family: this socket cannot send to such an address, and the runtime would
        // misread it.
        if (native.AddressFamily != _socket.AddressFamily)
        {
            throw new SocketException((int)SocketError.AddressFamilyNotSupported);
        }
        native.NativeBytes.CopyTo(_address.Buffer.Span);
        _sendPeer = peer;
    }
}
