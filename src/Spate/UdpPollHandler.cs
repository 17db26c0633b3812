namespace Spate;

/// <summary>Handles what one socket of a <see cref="UdpPoller"/> has received.</summary>
/// <param name="socket">The socket. It may be sent from, and closed.</param>
/// <param name="batch">
/// The datagrams, valid until this returns; <see cref="ReceiveBatch.Lease"/> keeps one longer. Not to be disposed here.
/// </param>
/// <param name="state">What was given to <see cref="UdpPoller.Add"/> with the socket.</param>
public delegate void UdpPollHandler(UdpSocket socket, ReceiveBatch batch, object? state);
