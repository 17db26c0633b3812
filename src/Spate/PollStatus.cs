namespace Spate;

/// <summary>How a poll of a <see cref="UdpPoller{TState}"/> ended.</summary>
public enum PollStatus
{
    /// <summary>The default value: no poll has taken place. No call returns it.</summary>
    None,

    /// <summary>The handler was called at least once.</summary>
    Received,

    /// <summary>No socket had a datagram within the timeout.</summary>
    TimedOut,

    /// <summary>
    /// <see cref="UdpPoller{TState}.Wake"/> was called since the previous poll with this batch, or while this poll
    /// waited. The first poll with a batch, and the first one after another poller has used the batch, report wakes of
    /// any time before. The handler was not called.
    /// </summary>
    Woken,

    /// <summary>The poller is disposed.</summary>
    Closed,
}
