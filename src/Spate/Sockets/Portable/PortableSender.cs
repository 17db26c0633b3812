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
    private const int MaxPendingErrorCount = 64;

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
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        int sent = 0, refused = 0;
        long bytes = 0;
        SocketError firstError = SocketError.Success;
        SendStatus status = SendStatus.Done;
        while (plan.HasUnsent)
        {
            GsoMessage message = plan.Messages[plan.NextMessage];
            ReadOnlySpan<byte> payload = plan.SegmentOf(message, plan.NextSegment);
            SocketError error = SendDatagram(payload, message.Peer, deadline, out status);
            if (status != SendStatus.Done) break;
            plan.Advance(1);
            if (error == SocketError.Success)
            {
                sent++;
                bytes += payload.Length;
                continue;
            }

            Context.Counters.CountRefused();
            if (refused++ == 0) firstError = error;
        }

        queue.EndSend();
        if (sent > 0) Context.Counters.CountSend(sent, sent, bytes);
        return new SendResult(sent, refused, plan.Count, firstError, status);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        SocketError error = SendDatagram(payload, peer, deadline, out SendStatus status);
        if (status != SendStatus.Done) return new SendResult(0, 0, 1, SocketError.Success, status);
        if (error == SocketError.Success)
        {
            Context.Counters.CountSend(1, 1, payload.Length);
            return new SendResult(1, 0, 0, error, status);
        }

        Context.Counters.CountRefused();
        return new SendResult(0, 1, 0, error, status);
    }

    private SocketError SendDatagram(
        ReadOnlySpan<byte> payload, in UdpEndPoint peer, in Deadline deadline, out SendStatus status)
    {
        status = SendStatus.Done;
        int pendingErrorCount = 0;
        bool metDoubtfulError = false;
        while (true)
        {
            SocketError error = TrySend(payload, peer);
            if (error == SocketError.Success) return error;
            if (Context.IsClosed)
            {
                status = SendStatus.Closed;
                return error;
            }

            switch (SocketErrorPolicy.Decide(error))
            {
                case ErrnoAction.Retry:
                    continue;
                case ErrnoAction.PendingError when SocketErrorPolicy.IsIcmpOnly(error):
                    if (++pendingErrorCount > MaxPendingErrorCount) return error;
                    Context.Counters.CountIcmpError();
                    Context.NoteIcmpErrorOfSend(error);
                    Context.Errors.Drain(out _);
                    continue;
                case ErrnoAction.PendingError or ErrnoAction.RefuseDatagram
                    when !metDoubtfulError && Context.IsConnected && SocketErrorPolicy.MayBePending(error):
                    // The error belongs either to an earlier datagram or to this one. In the first case the call has
                    // cleared the error; in the second case the retry gets it again.
                    metDoubtfulError = true;
                    Context.Counters.CountIcmpError();
                    continue;
                case ErrnoAction.WouldBlock:
                    if (_wait.Wait(SelectMode.SelectWrite, deadline.RemainingMilliseconds)) continue;
                    status = Context.IsClosed ? SendStatus.Closed : SendStatus.TimedOut;
                    return error;
                case ErrnoAction.NoBuffers:
                    Context.Counters.CountNoBuffers();
                    if (deadline.RemainingMilliseconds == 0)
                    {
                        status = SendStatus.NoBuffers;
                        Context.RetrySendLater = true;
                        return error;
                    }

                    Thread.Sleep(1);
                    continue;
                case ErrnoAction.Closed:
                    status = SendStatus.Closed;
                    return error;
                default:
                    return error;
            }
        }
    }

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
