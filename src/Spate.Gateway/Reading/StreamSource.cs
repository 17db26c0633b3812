using System.Diagnostics;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Spate.Gateway.Escaping;
using Spate.Gateway.Format;
using Spate.Gateway.Publishing;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Gateway.Reading;

/// <summary>
/// Reads streams through lost connections: each time from the next host and from the last offset that was read, which
/// is skipped, so nothing is taken twice and nothing is left out.
/// </summary>
internal sealed class StreamSource(GatewayReaderOptions options, Verifier verifier)
{
    // A message that ends each connection that delivers it would be asked for again for ever.
    private const int MaxFruitlessSessions = 8;

    // The longest message that a broker takes as a rule (max_message_size of RabbitMQ 3.10, 128 MiB).
    private const uint MaxMessageBytes = 128 << 20;

    private static readonly TimeSpan Farewell = TimeSpan.FromSeconds(1);

    private readonly string[] _names = PartitionNames.Of(options.StreamName, options.PartitionCount);
    private readonly ReadPosition[] _positions =
        [.. Enumerable.Range(0, options.PartitionCount).Select(_ => new ReadPosition(options.Offset))];

    private readonly RabbitConnector _connector = new(
        options.Target,
        options.Credentials,
        RabbitTls.Create(options.CertificateAuthorityFile),
        "spate gateway read");

    private readonly HostList _hosts = new(options.Target.Hosts, firstIndex: 0);

    /// <summary>Whether a broker was ever reached.</summary>
    public bool HasConnected { get; private set; }

    /// <summary>Reads to the end, or until cancelled.</summary>
    /// <exception cref="GatewayException">No host answers in time, one refuses, or a stream cannot be read.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        bool isChecked = false;
        int fruitless = 0;
        while (true)
        {
            // A connection that brought nothing may have met a message too long for it: the next takes any, and only
            // one at a time.
            bool isCareful = fruitless > 0;
            RabbitConnection connection = await ConnectAsync(isChecked, isCareful, cancellationToken)
                .ConfigureAwait(false);
            StreamSession session = new(
                isCareful ? options with { PrefetchCount = 1 } : options, _names, _positions, verifier);
            try
            {
                if (!isChecked)
                {
                    await RabbitQueueCheck.RunAsync(
                        connection.Connection, _names, GatewayQueueKind.Stream, declaredBytes: null, cancellationToken)
                        .ConfigureAwait(false);
                    isChecked = true;
                }

                if (await session.RunAsync(connection.Connection, cancellationToken).ConfigureAwait(false)) return;
            }
            finally
            {
                await connection.EndAsync(Farewell).ConfigureAwait(false);
            }

            fruitless = session.HasRead ? 0 : fruitless + 1;
            if (fruitless == MaxFruitlessSessions)
            {
                throw new GatewayException(
                    $"reading cannot continue after offset {ReadOffsets}: {fruitless} connections ended without a "
                    + $"message ({session.LossReason}); --offset can skip unreadable messages");
            }

            options.OnNotice?.Invoke(
                $"connection lost after offset {ReadOffsets}: {session.LossReason}; reading continues there");
            _hosts.Next();
            await PauseAsync(fruitless + 1, cancellationToken).ConfigureAwait(false);
        }
    }

    private string ReadOffsets =>
        string.Join(", ", _positions.Select(static position => position.Last is { } last ? $"{last}" : "(none)"));

    private static Task PauseAsync(int failureCount, CancellationToken cancellationToken) =>
        Task.Delay(BackOff.Pause(failureCount, BackOff.MaxConnectPause), cancellationToken);

    private async Task<RabbitConnection> ConnectAsync(
        bool hasRead, bool isCareful, CancellationToken cancellationToken)
    {
        long start = Stopwatch.GetTimestamp();
        for (int failureCount = 1; ; failureCount++)
        {
            try
            {
                uint maxBytes = isCareful ? MaxMessageBytes : RabbitConnector.MaxInboundBytes;
                RabbitConnection opened = await _connector.OpenAsync(_hosts.Current, maxBytes, cancellationToken)
                    .ConfigureAwait(false);
                HasConnected = true;
                return opened;
            }
            catch (GatewayException fault) when (!fault.IsRefusal)
            {
                bool isPatient = options.Follow && hasRead;
                if (!isPatient && Stopwatch.GetElapsedTime(start) >= options.ConnectTimeout) throw;
                if (failureCount == 1) options.OnNotice?.Invoke(fault.Message);
            }

            _hosts.Next();
            await PauseAsync(failureCount, cancellationToken).ConfigureAwait(false);
        }
    }
}

/// <summary>Hands the messages of one stream to its session. The client calls it for one message at a time.</summary>
/// <param name="channel">The channel that it consumes on.</param>
/// <param name="session">Where the messages go.</param>
/// <param name="stream">The index of the stream.</param>
/// <param name="role">What the messages are read for.</param>
internal sealed class StreamConsumer(IChannel channel, StreamSession session, int stream, StreamRole role)
    : AsyncDefaultBasicConsumer(channel)
{
    // Set by the broker on every message of a stream, and on no other.
    private const string OffsetHeader = "x-stream-offset";

    /// <inheritdoc/>
    public override async Task HandleBasicDeliverAsync(
        string consumerTag,
        ulong deliveryTag,
        bool redelivered,
        string exchange,
        string routingKey,
        IReadOnlyBasicProperties properties,
        ReadOnlyMemory<byte> body,
        CancellationToken cancellationToken = default)
    {
        try
        {
            // Without an offset it is a queue, which would forget what is acknowledged.
            if (!TryReadOffset(properties, out ulong offset))
            {
                session.RefuseQueue(stream);
            }
            else if (role == StreamRole.Probe)
            {
                session.AnswerProbe(offset);
            }
            else if (role != StreamRole.Records)
            {
                session.FindEnd(stream, role, offset);
            }
            else if (!session.IsBeforeJump(stream, offset)
                || await session.TryCrossJumpAsync(stream, offset).ConfigureAwait(false))
            {
                session.Take(stream, offset, properties.ContentType, body.Span);
            }
        }
        catch (Exception fault)
        {
            // The client would only report it to an event and go on: what the visit throws ends the reading.
            session.Fail(fault);
            return;
        }

        if (!session.IsAckDue(role)) return;
        try
        {
            await Channel.BasicAckAsync(deliveryTag, multiple: true, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception fault)
        {
            session.Lose(RabbitFaults.ReasonOf(fault));
        }
    }

    /// <inheritdoc/>
    public override Task HandleBasicCancelAsync(string consumerTag, CancellationToken cancellationToken = default)
    {
        session.Lose("the broker ended the read: the stream was deleted, or its node went down");
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public override Task HandleChannelShutdownAsync(object channel, ShutdownEventArgs reason)
    {
        // The channel of a probe is closed once it has answered.
        if (role != StreamRole.Probe) session.Lose(OneLine.OfLines(reason.ReplyText));
        return Task.CompletedTask;
    }

    private static bool TryReadOffset(IReadOnlyBasicProperties properties, out ulong offset)
    {
        offset = 0;
        object? value = null;
        if (properties.Headers?.TryGetValue(OffsetHeader, out value) != true) return false;
        if (value is not long number || number < 0) return false;
        offset = (ulong)number;
        return true;
    }
}

/// <summary>What the messages of a consumer are read for.</summary>
internal enum StreamRole
{
    /// <summary>All messages, for the datagrams in them.</summary>
    Records = 0,

    /// <summary>One message, to learn where the last chunk begins.</summary>
    LastChunk,

    /// <summary>One message, to learn what was published after reading began.</summary>
    Later,

    /// <summary>One message, to learn whether the last one that was read is still there.</summary>
    Probe,
}
