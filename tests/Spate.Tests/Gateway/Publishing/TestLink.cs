using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;
using Spate.Gateway.Publishing;

namespace Spate.Tests.Gateway.Publishing;

/// <summary>A link whose broker is the test: it keeps what is published, and confirms when it is told to.</summary>
internal sealed class TestLink : ILink
{
    private readonly Lock _lock = new();
    private readonly List<byte[]> _published = [];
    private readonly Queue<Exception> _connectFaults = new();
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ILinkListener? _listener;
    private ulong _tag;

    /// <summary>Whether every message is confirmed at once.</summary>
    public bool ConfirmsAll { get; set; }

    public int ConnectCount { get; private set; }

    /// <summary>All messages so far, in their order, those of earlier connections included.</summary>
    public byte[][] Published
    {
        get
        {
            lock (_lock) return [.. _published];
        }
    }

    public ILinkListener Listener => _listener!;

    public void FailConnect(Exception fault)
    {
        lock (_lock) _connectFaults.Enqueue(fault);
    }

    public Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            ConnectCount++;
            if (_connectFaults.TryDequeue(out Exception? fault)) return Task.FromException(fault);
            _listener = listener;
            _tag = 0;
            Change();
            return Task.CompletedTask;
        }
    }

    public ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken)
    {
        ulong tag;
        lock (_lock)
        {
            tag = ++_tag;
            _published.Add(pack.Message.ToArray());
            Change();
        }

        if (ConfirmsAll) _listener!.OnConfirmed(tag, multiple: false);
        return ValueTask.CompletedTask;
    }

    /// <summary>Thrown by the end of the link; null for none.</summary>
    public Exception? DisposeFault { get; init; }

    public ValueTask DisposeAsync() =>
        DisposeFault is null ? ValueTask.CompletedTask : ValueTask.FromException(DisposeFault);

    /// <summary>Waits until a condition holds, which is looked at after each publish and each connection.</summary>
    public async Task WaitAsync(Func<TestLink, bool> condition)
    {
        while (true)
        {
            Task changed;
            lock (_lock) changed = _changed.Task;
            if (condition(this)) return;
            await changed.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        }
    }

    /// <summary>Whether a message is an accounting message.</summary>
    public static bool IsAccounting(byte[] message)
    {
        Assert.Equal(FormatFault.None, PackMessage.Read(message, out PackMessage read));
        return read.Kind == PackKind.Accounting;
    }

    /// <summary>The sequence number that a message begins with.</summary>
    public static ulong FirstOf(byte[] message)
    {
        Assert.Equal(FormatFault.None, PackMessage.Read(message, out PackMessage read));
        return read.FirstSequence;
    }

    private void Change()
    {
        TaskCompletionSource changed = _changed;
        _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        changed.SetResult();
    }
}
