using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Spate.Gateway.Escaping;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Gateway.Reading;

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
        session.Lose("the broker ended the reading: the stream was deleted, or its node went down");
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
