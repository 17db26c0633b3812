namespace Spate.Gateway;

/// <summary>What a <see cref="GatewayReader"/> reads, and how.</summary>
public sealed record GatewayReaderOptions
{
    /// <summary>The broker. <see cref="GatewayTarget.Discard"/> is refused.</summary>
    public required GatewayTarget Target { get; init; }

    /// <summary>The stream's name; of several partitions, what their names begin with, as at the gateway.</summary>
    public required string StreamName { get; init; }

    /// <summary>The gateway's number of partitions, 1 to 64. 1 by default.</summary>
    public int PartitionCount { get; init; } = 1;

    /// <summary>Where to begin; the first message that the stream still has by default.</summary>
    public GatewayOffset Offset { get; init; }

    /// <summary>
    /// Whether to go on at the end of the stream until cancelled. By default the reader ends when it has read what was
    /// there when it began.
    /// </summary>
    public bool Follow { get; init; }

    /// <summary>Whether datagrams that were read before are visited too. They are counted in any case.</summary>
    public bool VisitDuplicates { get; init; }

    /// <summary>The user and the password.</summary>
    public required GatewayCredentials Credentials { get; init; }

    /// <summary>
    /// A file with the certificates that are trusted, as PEM; null, the default, for those of the system.
    /// </summary>
    public string? CertificateAuthorityFile { get; init; }

    /// <summary>
    /// How long to try the hosts before the reader fails, at the start and, without <see cref="Follow"/>, after a lost
    /// connection; and how long after it a stream may take to show that it still has what was read. 10 s by default.
    /// </summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Without <see cref="Follow"/>: how long nothing may arrive before the end of a stream counts as reached. 1 s by
    /// default. AMQP does not tell where a stream ends.
    /// </summary>
    public TimeSpan QuietTime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Messages that the broker sends ahead, for each partition: 1 to 1000. 32 by default, so 4 MB of messages of a
    /// gateway's usual size, and at most 8 MiB each: a larger message ends the reading, and the error names the offset
    /// before it.
    /// </summary>
    public int PrefetchCount { get; init; } = 32;

    /// <summary>
    /// Keys (<see cref="GatewayKey"/>) that are told apart, 1 to 65536. 4096 by default. Messages of further ones are
    /// read, but not verified: <see cref="GatewayFindings.MessagesUntracked"/>.
    /// </summary>
    public int MaxKeyCount { get; init; } = 4096;

    /// <summary>
    /// Told of a lost connection and the like, in one escaped line each; null for nothing. Any thread may call it.
    /// </summary>
    public Action<string>? OnNotice { get; init; }
}
