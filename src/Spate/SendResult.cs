using System.Net.Sockets;

namespace Spate;

/// <summary>
/// The outcome of one send. Errors of single datagrams are counted here and never thrown. The <c>default</c> value is
/// not the result of a send: its <see cref="Status"/> is <see cref="SendStatus.None"/>.
/// </summary>
public readonly record struct SendResult
{
    internal SendResult(int sent, int refused, int remaining, SocketError firstError, SendStatus status)
    {
        Sent = sent;
        Refused = refused;
        Remaining = remaining;
        FirstError = firstError;
        Status = status;
    }

    /// <summary>The number of datagrams that the system accepted in this call.</summary>
    public int Sent { get; init; }

    /// <summary>
    /// The number of datagrams that the system refused in this call. They are removed from the batch.
    /// </summary>
    public int Refused { get; init; }

    /// <summary>
    /// The number of datagrams that were neither sent nor refused. A batch keeps them, in order, for the next send.
    /// </summary>
    public int Remaining { get; init; }

    /// <summary>
    /// The error of the first refused datagram; <see cref="SocketError.Success"/> if no datagram was refused.
    /// </summary>
    public SocketError FirstError { get; init; }

    /// <summary>Why the call ended.</summary>
    public SendStatus Status { get; init; }

    /// <summary>Whether every datagram was sent.</summary>
    public bool AllSent => Refused == 0 && Remaining == 0 && Status == SendStatus.Done;
}
