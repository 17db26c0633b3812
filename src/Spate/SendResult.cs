using System.Net.Sockets;

namespace Spate;

/// <summary>
/// The outcome of one send. Faults of single datagrams are counted here, never thrown. The <c>default</c> value belongs
/// to no send: its <see cref="Status"/> is <see cref="SendStatus.None"/>.
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

    /// <summary>Datagrams that the system accepted in this call.</summary>
    public int Sent { get; init; }

    /// <summary>Datagrams that the system refused in this call; they are removed from the batch.</summary>
    public int Refused { get; init; }

    /// <summary>
    /// Datagrams that were neither sent nor refused; they stay in the batch, in order, for the next send.
    /// </summary>
    public int Remaining { get; init; }

    /// <summary>The first refusal's reason; <see cref="SocketError.Success"/> without one.</summary>
    public SocketError FirstError { get; init; }

    /// <summary>Why the call ended.</summary>
    public SendStatus Status { get; init; }

    /// <summary>Whether every datagram was sent.</summary>
    public bool IsComplete => Refused == 0 && Remaining == 0 && Status == SendStatus.Done;
}
