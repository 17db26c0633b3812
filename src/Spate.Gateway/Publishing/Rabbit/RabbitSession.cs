using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Spate.Gateway.Escaping;
using Spate.Gateway.Pipelines;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// One connection of a link, with its channel, from its opening to its loss. Passes on what the broker says, and
/// nothing after the loss: the timer that misses heartbeats and the loop that reads confirms are different threads.
/// </summary>
internal sealed class RabbitSession
{
    private readonly ILinkListener _listener;
    private readonly Lock _gate = new();
    private readonly string _host;
    private bool _isOver = true;

    private RabbitSession(RabbitConnection connection, IChannel channel, ILinkListener listener)
    {
        _host = connection.Host;
        Connection = connection;
        Channel = channel;
        _listener = listener;
    }

    public RabbitConnection Connection { get; }

    public IChannel Channel { get; }

    /// <summary>Opens a channel that confirms. The listener is called from now on.</summary>
    public static async Task<RabbitSession> OpenAsync(
        RabbitConnection opened, ILinkListener listener, CancellationToken cancellationToken)
    {
        IConnection connection = opened.Connection;
        IChannel channel = await connection.CreateChannelAsync(
            new CreateChannelOptions(
                publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: false),
            cancellationToken).ConfigureAwait(false);
        var session = new RabbitSession(opened, channel, listener);
        channel.BasicAcksAsync += session.OnAckAsync;
        channel.BasicNacksAsync += (_, refusal) =>
            session.TellAsync(told => told.OnRefused(refusal.DeliveryTag, refusal.Multiple));
        channel.BasicReturnAsync += (_, returned) => session.TellAsync(told => told.OnReturned(returned.Body.Span));
        channel.ChannelShutdownAsync += session.OnShutdownAsync;
        connection.ConnectionShutdownAsync += session.OnShutdownAsync;
        connection.ConnectionBlockedAsync += (_, blocked) =>
            session.TellAsync(told => told.OnBlocked(OneLine.Of(blocked.Reason)));
        connection.ConnectionUnblockedAsync += (_, _) => session.TellAsync(static told => told.OnBlocked(reason: null));

        session.Begin();
        return session;
    }

    /// <summary>Tells the listener once that the connection is lost.</summary>
    /// <param name="reason">Why the connection is lost: one line, escaped.</param>
    /// <param name="isRefusal">Whether the broker refuses what is published, so that waiting does not help.</param>
    public void Lose(string reason, bool isRefusal)
    {
        lock (_gate)
        {
            if (_isOver) return;
            _isOver = true;
            _listener.OnLost($"the connection to {_host} is lost: {reason}", isRefusal);
        }
    }

    /// <summary>The link ends the session itself: the listener is told nothing more.</summary>
    public void Leave()
    {
        lock (_gate) _isOver = true;
    }

    // The reason of an end is set before its event is raised. So an end is either seen here or told to the listener.
    private void Begin()
    {
        lock (_gate)
        {
            if (!Channel.IsOpen || !Connection.Connection.IsOpen)
            {
                throw new IOException(Channel.CloseReason?.ReplyText ?? "it ended while it was opened");
            }

            _isOver = false;
        }
    }

    // Not by the method below, whose delegate would be made for each confirm.
    private Task OnAckAsync(object sender, BasicAckEventArgs confirm)
    {
        lock (_gate)
        {
            if (!_isOver) _listener.OnConfirmed(confirm.DeliveryTag, confirm.Multiple);
        }

        return Task.CompletedTask;
    }

    private Task TellAsync(Action<ILinkListener> call)
    {
        lock (_gate)
        {
            if (!_isOver) call(_listener);
        }

        return Task.CompletedTask;
    }

    private Task OnShutdownAsync(object sender, ShutdownEventArgs end)
    {
        // Missed heartbeats are told by the exception alone; the text says "End of stream".
        string text = end.Exception is EndOfStreamException silence ? silence.Message : end.ReplyText;
        Lose(OneLine.OfLines(text), RabbitFaults.IsRefusal(end));
        return Task.CompletedTask;
    }
}
