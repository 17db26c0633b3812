using Spate.Gateway.Pipelines;

namespace Spate.HostTests.Gateway.Brokers;

/// <summary>Notes what a link tells, and lets a test wait for it.</summary>
internal sealed class RecordingListener : ILinkListener, IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly List<string> _events = [];
    private readonly SemaphoreSlim _arrived = new(0);

    public IReadOnlyList<string> Events
    {
        get
        {
            lock (_events) return [.. _events];
        }
    }

    /// <summary>The highest tag that was confirmed.</summary>
    public ulong Confirmed { get; private set; }

    public void Dispose() => _arrived.Dispose();

    public void OnConfirmed(ulong tag, bool multiple)
    {
        Confirmed = Math.Max(Confirmed, tag);
        Add("confirmed");
    }

    public void OnRefused(ulong tag, bool multiple) => Add("refused");

    public void OnReturned(ReadOnlySpan<byte> body) => Add($"returned {body.Length}");

    public void OnLost(string reason, bool isRefusal) => Add($"lost {(isRefusal ? "refused " : "")}{reason}");

    public void OnBlocked(string? reason) => Add(reason is null ? "unblocked" : $"blocked {reason}");

    /// <summary>Waits until an event that begins so has come.</summary>
    public async Task<string> WaitForAsync(string beginning)
    {
        using var patience = new CancellationTokenSource(Patience);
        while (true)
        {
            if (Events.FirstOrDefault(one => one.StartsWith(beginning, StringComparison.Ordinal)) is { } found)
            {
                return found;
            }

            await _arrived.WaitAsync(patience.Token);
        }
    }

    /// <summary>Waits until so many events have come.</summary>
    public async Task WaitForCountAsync(int count)
    {
        using var patience = new CancellationTokenSource(Patience);
        while (Events.Count < count) await _arrived.WaitAsync(patience.Token);
    }

    /// <summary>Waits until a tag is confirmed.</summary>
    public async Task WaitForTagAsync(ulong tag)
    {
        using var patience = new CancellationTokenSource(Patience);
        while (Confirmed < tag) await _arrived.WaitAsync(patience.Token);
    }

    private void Add(string text)
    {
        lock (_events) _events.Add(text);
        _arrived.Release();
    }
}
