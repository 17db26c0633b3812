using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Gateway;

namespace Spate.Cli.Gateway;

/// <summary>
/// Says when threads lose their brokers and find them again: one line for each change of the reason, however often a
/// broker is tried. Any thread may call.
/// </summary>
internal sealed class ConnectionNotices(Streams streams)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<int, string> _reasons = [];
    private bool _isBegun;

    /// <summary>The gateway is connected: from now on a loss is news.</summary>
    public void Begin()
    {
        lock (_lock) _isBegun = true;
    }

    public void Tell(GatewayConnectionEvent told)
    {
        int shard = told.ShardIndex;
        lock (_lock)
        {
            if (told.Reason is not { } reason)
            {
                if (_reasons.Remove(shard)) streams.Notice($"thread {shard} is connected again");
                return;
            }

            // At the start the command ends with the reason, or succeeds.
            if (!_isBegun || string.Equals(_reasons.GetValueOrDefault(shard), reason, StringComparison.Ordinal)) return;
            _reasons[shard] = reason;
            streams.Warn(
                $"thread {shard}: {reason}; trying again, and keeping what is not confirmed", DocsAnchor.GatewayStates);
        }
    }
}
