using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>Waits for a datagram into the caller's memory.</summary>
internal sealed class ReceiveOneOperation(UdpCalls calls)
    : PendingOperation<ReceivedDatagram>(calls.Pending, calls.Inline)
{
    private Memory<byte> _buffer;

    public override bool IsWrite => false;

    public ValueTask<ReceivedDatagram> StartAsync(Memory<byte> buffer, CancellationToken token)
    {
        _buffer = buffer;
        ValueTask<ReceivedDatagram> task = StartAsync(token);
        calls.ShareStaged();
        return task;
    }

    public override bool TryRun()
    {
        ReceiveStatus status = calls.TryReceiveOne(_buffer.Span, out ReceivedDatagram datagram);
        if (status == ReceiveStatus.TimedOut) return false;
        if (status == ReceiveStatus.Closed) SetClosed();
        else SetResult(datagram);
        return true;
    }

    public override void SetClosed() => SetFault(new SocketException((int)SocketError.OperationAborted));

    protected override void GiveBack()
    {
        _buffer = default;
        calls.ReceiveOnes.Return(this);
    }
}

/// <summary>Waits for a batch.</summary>
internal sealed class ReceiveBatchOperation(UdpCalls calls)
    : PendingOperation<ReceiveStatus>(calls.Pending, calls.Inline)
{
    private ReceiveBatch? _batch;

    public override bool IsWrite => false;

    public ValueTask<ReceiveStatus> StartAsync(ReceiveBatch batch, CancellationToken token)
    {
        _batch = batch;
        ValueTask<ReceiveStatus> task = StartAsync(token);
        calls.ShareStaged();
        return task;
    }

    public override bool TryRun()
    {
        ReceiveStatus status = calls.Receive(_batch!, 0);
        SetResult(status);
        return status != ReceiveStatus.TimedOut;
    }

    public override void SetClosed() => SetResult(ReceiveStatus.Closed);

    protected override void GiveBack()
    {
        _batch = null;
        calls.ReceiveBatches.Return(this);
    }
}

/// <summary>Waits until a receive would find something, and takes nothing.</summary>
internal sealed class ReadableOperation(UdpCalls calls)
    : PendingOperation<ReceiveStatus>(calls.Pending, calls.Inline)
{
    public override bool IsWrite => false;

    public new ValueTask<ReceiveStatus> StartAsync(CancellationToken token)
    {
        ValueTask<ReceiveStatus> task = base.StartAsync(token);
        calls.ShareStaged();
        return task;
    }

    public override bool TryRun()
    {
        SetResult(ReceiveStatus.Received);
        return true;
    }

    public override void SetClosed() => SetResult(ReceiveStatus.Closed);

    protected override void GiveBack() => calls.Readables.Return(this);
}

/// <summary>Waits until a datagram can be sent.</summary>
internal sealed class SendOneOperation(UdpCalls calls)
    : PendingOperation<SendResult>(calls.Pending, calls.Inline)
{
    private ReadOnlyMemory<byte> _payload;
    private UdpEndPoint _peer;

    public override bool IsWrite => true;

    public ValueTask<SendResult> StartAsync(ReadOnlyMemory<byte> payload, in UdpEndPoint peer, CancellationToken token)
    {
        _payload = payload;
        _peer = peer;
        return StartAsync(token);
    }

    public override bool TryRun()
    {
        SendResult result = calls.SendOne(_payload.Span, _peer, 0);
        SetResult(result);
        return !UdpCalls.MustWait(result);
    }

    public override void SetClosed() => SetResult(new SendResult(0, 0, 1, SocketError.Success, SendStatus.Closed));

    protected override void GiveBack()
    {
        _payload = default;
        calls.SendOnes.Return(this);
    }
}

/// <summary>Waits until a batch can be sent; what went out in earlier rounds is added up.</summary>
internal sealed class SendBatchOperation(UdpCalls calls)
    : PendingOperation<SendResult>(calls.Pending, calls.Inline)
{
    private SendBatch? _batch;
    private SendResult _soFar;

    public override bool IsWrite => true;

    public ValueTask<SendResult> StartAsync(SendBatch batch, in SendResult soFar, CancellationToken token)
    {
        _batch = batch;
        _soFar = soFar;
        return StartAsync(token);
    }

    public override bool TryRun()
    {
        _soFar = UdpCalls.Sum(_soFar, calls.Send(_batch!, 0));
        SetResult(_soFar);
        return !UdpCalls.MustWait(_soFar);
    }

    public override void SetClosed() => SetResult(_soFar with { Status = SendStatus.Closed });

    protected override void GiveBack()
    {
        _batch = null;
        calls.SendBatches.Return(this);
    }
}
