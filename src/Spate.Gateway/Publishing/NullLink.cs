using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing;

/// <summary>Confirms everything at once and keeps nothing, for measuring what receiving and packing cost.</summary>
internal sealed class NullLink : ILink
{
    private ILinkListener? _listener;
    private ulong _tag;

    public Task ConnectAsync(ILinkListener listener, CancellationToken cancellationToken)
    {
        _listener = listener;
        _tag = 0;
        return Task.CompletedTask;
    }

    public ValueTask PublishAsync(PackBuffer pack, CancellationToken cancellationToken)
    {
        _listener!.OnConfirmed(++_tag, multiple: false);
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
