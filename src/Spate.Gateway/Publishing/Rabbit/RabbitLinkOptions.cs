using Spate.Gateway.Format;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>What the links of all pipelines of a gateway have in common.</summary>
internal sealed record RabbitLinkOptions
{
    /// <summary>The broker; not <see cref="GatewayTarget.Discard"/>.</summary>
    public required GatewayTarget Target { get; init; }

    public required GatewayCredentials Credentials { get; init; }

    public required RabbitTls Tls { get; init; }

    /// <summary>The gateway's id, which the broker shows in the names of its connections.</summary>
    public required string Id { get; init; }

    /// <summary>The names of the streams or queues, by partition (<see cref="PartitionNames"/>).</summary>
    public required IReadOnlyList<string> Names { get; init; }

    public required GatewayQueueKind Kind { get; init; }

    /// <summary>How many bytes each stream or queue may hold, to declare them; null to look only.</summary>
    public long? DeclaredBytes { get; init; }
}
