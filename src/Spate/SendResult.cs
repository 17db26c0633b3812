using System.Net.Sockets;

namespace Spate;

/// <summary>
/// What became of the datagrams of one send. Faults of single datagrams are counted here, never thrown. The
/// <c>default</c> value is the result of no send: its <see cref="Status"/> is <see cref="SendStatus.None"/>.
/// </summary>
/// <param name="Sent">Datagrams that the system accepted in this call.</param>
/// <param name="Refused">Datagrams that the system refused in this call; they are gone from the batch.</param>
/// <param name="Remaining">
/// Datagrams that were not tried to the end; they stay in the batch, in order, for the next send.
/// </param>
/// <param name="FirstError">The first refusal's reason; <see cref="SocketError.Success"/> without one.</param>
/// <param name="Status">Why the call ended.</param>
public readonly record struct SendResult(
    int Sent, int Refused, int Remaining, SocketError FirstError, SendStatus Status)
{
    /// <summary>Whether every datagram was sent.</summary>
    public bool IsComplete => Refused == 0 && Remaining == 0 && Status == SendStatus.Done;
}
