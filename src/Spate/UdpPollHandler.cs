namespace Spate;

/// <summary>Handles what one socket of a <see cref="UdpPoller{TState}"/> has received.</summary>
/// <typeparam name="TState">What the handler needs to know about a socket.</typeparam>
/// <param name="socket">The socket. It may be sent from, and closed.</param>
/// <param name="batch">
/// The datagrams, valid until the handler returns; <see cref="Datagram.Lease"/> keeps one longer. Not to be disposed
/// here.
/// </param>
/// <param name="state">What was given to <see cref="UdpPoller{TState}.Add"/> with the socket.</param>
public delegate void UdpPollHandler<in TState>(UdpSocket socket, ReceiveBatch batch, TState state);
