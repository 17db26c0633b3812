using Spate.Gateway.Format;

namespace Spate.Gateway.Pipelines;

/// <summary>The side of the publisher and of its link.</summary>
internal sealed partial class ShardPipeline
{
    private Listener? _listener;
    private long _progressAt;
    private long _publishedPacks;
    private long _publishedAgain;
    private long _confirmedPacks;
    private int _lossCount;
    private bool _hasBeenConnected;
    private bool _isConnected;
    private bool _isRefusedByHost;
    private bool _hasProgressed;
    private string? _blockedReason;
    private string? _lossReason;

    /// <summary>Whether anything was confirmed on the present connection, or the last one.</summary>
    public bool HasProgressed => Volatile.Read(ref _hasProgressed);

    /// <summary>A listener for the next connection. Events of earlier ones are ignored from now on.</summary>
    public ILinkListener Attach()
    {
        lock (_lock)
        {
            // Not when the attempt has succeeded: the broker may block before that is known.
            _blockedReason = null;
            return _listener = new Listener(this);
        }
    }

    /// <summary>The attempt for which a listener was attached has succeeded.</summary>
    public void Connected(ILinkListener listener)
    {
        lock (_lock)
        {
            if (_listener != listener) return;
            _isConnected = true;
            _hasBeenConnected = true;
            _hasProgressed = false;
            _progressAt = plan.Time.GetTimestamp();
        }

        Signal.Set();
    }

    /// <summary>An attempt to connect has failed.</summary>
    public void ConnectFailed(GatewayException fault)
    {
        lock (_lock)
        {
            _listener = null;
            _isRefusedByHost = fault.IsRefusal;
            _lossReason = fault.Message;
        }
    }

    /// <summary>The publisher has found that the connection is lost, maybe before the link told.</summary>
    public void Lose(string reason) => Lose(_listener, reason, isRefusal: false);

    /// <summary>
    /// What to do next. A pack that is returned counts as published from now on, since its confirm may come before the
    /// call that publishes it has returned.
    /// </summary>
    /// <param name="pack">The pack to publish; null for none.</param>
    /// <param name="refusalCount">Before a pause, how many times the pack that goes again first was refused.</param>
    public PipelineStep Next(out PackBuffer? pack, out int refusalCount)
    {
        pack = null;
        refusalCount = 0;
        lock (_lock)
        {
            if (HasEnded) return PipelineStep.End;
            if (!_isConnected) return PipelineStep.Connect;
            if (_blockedReason is not null) return PipelineStep.Wait;
            if (_window.MustSettle && !_isOver)
            {
                if (_window.SentCount > 0) return PipelineStep.Wait;
                refusalCount = _window.RefusalCount;
                return PipelineStep.Pause;
            }

            // After a loss, one message alone shows that the broker takes them. RabbitMQ 3.10 ends a channel that
            // publishes to a stream without a leader, and logs the bytes of all messages that it holds: with 32 of
            // 120 KiB that took a node 40 s and its memory.
            bool isProbing = _lossCount > 0 && !_hasProgressed && _window.SentCount > 0;
            if (isProbing || !_window.HasRoom) return PipelineStep.Wait;
            pack = TakeInLock();
            if (pack is null) return PipelineStep.Wait;
            long now = plan.Time.GetTimestamp();
            if (_window.SentCount == 0) _progressAt = now;
            if (pack.Ticket == 0) _publishedPacks++;
            else _publishedAgain++;
            pack.PublishedAt = now;
            _window.Add(pack);
            return PipelineStep.Publish;
        }
    }

    /// <summary>The pause of <see cref="PipelineStep.Pause"/> is over.</summary>
    public void EndPause()
    {
        lock (_lock) _window.EndSettling();
    }

    private bool HasEnded => _isFinished || (_accounting is { IsEnded: true } && _window.IsEmpty);

    private PackBuffer? TakeInLock()
    {
        if (!_isOver && _window.TakeAgain() is { } again) return again;
        if (_isComplete && _waiting.Count == 0 && _window.IsEmpty) _accounting!.End();
        return _accounting!.TryWrite() ?? TryDequeue();
    }

    private void Lose(ILinkListener? listener, string reason, bool isRefusal)
    {
        lock (_lock)
        {
            if (listener is null || _listener != listener) return;
            _listener = null;
            if (_isConnected) _lossCount++;
            _isConnected = false;
            _isRefusedByHost |= isRefusal;
            _blockedReason = null;
            _lossReason = reason;
            _window.Lose();
            if (_isOver) AbandonInLock(_window.GiveUpAgain());
        }

        Signal.Set();
    }

    private void Confirm(Listener listener, ulong tag, bool multiple)
    {
        lock (_lock)
        {
            if (_listener != listener) return;
            _window.Confirm(tag, multiple, _committed);
            foreach (PackBuffer pack in _committed)
            {
                if (!pack.IsAccounting) _ledger[pack.Partition].Commit(pack.Count);
                _confirmedPacks++;
                Free(pack);
            }

            if (_committed.Count > 0)
            {
                _hasProgressed = true;

                // Not as soon as it is connected: who may not publish learns it by the first message.
                _isRefusedByHost = false;
            }

            _committed.Clear();
            AfterSettling();
        }

        Signal.Set();
    }

    private void Refuse(Listener listener, ulong tag, bool multiple)
    {
        lock (_lock)
        {
            if (_listener != listener) return;
            _window.Refuse(tag, multiple);
            AfterSettling();
        }

        Signal.Set();
    }

    private void AfterSettling()
    {
        _progressAt = plan.Time.GetTimestamp();
        if (_isOver) AbandonInLock(_window.GiveUpAgain());
    }

    private void Return(Listener listener, ReadOnlySpan<byte> body)
    {
        lock (_lock)
        {
            if (_listener == listener) _window.MarkReturned(body, PackPrefix.FixedBytes);
        }
    }

    private void Block(Listener listener, string? reason)
    {
        lock (_lock)
        {
            if (_listener != listener) return;
            _blockedReason = reason;

            // Nothing could be confirmed meanwhile.
            _progressAt = plan.Time.GetTimestamp();
        }

        Signal.Set();
    }

    /// <summary>The events of one connection.</summary>
    private sealed class Listener(ShardPipeline pipeline) : ILinkListener
    {
        public void OnConfirmed(ulong tag, bool multiple) => pipeline.Confirm(this, tag, multiple);

        public void OnRefused(ulong tag, bool multiple) => pipeline.Refuse(this, tag, multiple);

        public void OnReturned(ReadOnlySpan<byte> body) => pipeline.Return(this, body);

        public void OnLost(string reason, bool isRefusal) => pipeline.Lose(this, reason, isRefusal);

        public void OnBlocked(string? reason) => pipeline.Block(this, reason);
    }
}

/// <summary>What the publisher of a pipeline does next.</summary>
internal enum PipelineStep
{
    /// <summary>Publish the pack.</summary>
    Publish,

    /// <summary>Wait for the pipeline's signal.</summary>
    Wait,

    /// <summary>Packs were refused and all is settled: pause, then publish them again.</summary>
    Pause,

    /// <summary>The connection is lost: connect again.</summary>
    Connect,

    /// <summary>Everything is said: end.</summary>
    End,
}
