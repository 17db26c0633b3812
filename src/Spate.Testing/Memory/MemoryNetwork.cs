using Microsoft.Extensions.Time.Testing;

namespace Spate.Testing.Memory;

/// <summary>
/// The state that the sockets of one shard share: the sent and the refused datagrams, the room in the send buffer, and
/// the time.
/// </summary>
internal sealed class MemoryNetwork
{
    public FakeTimeProvider Time { get; init; } = new();

    public List<SentDatagram> Sent { get; } = [];

    public List<RefusedDatagram> Refused { get; } = [];

    /// <summary>The number of datagrams that the send buffer still takes; null for no limit.</summary>
    public int? Room { get; set; }
}
