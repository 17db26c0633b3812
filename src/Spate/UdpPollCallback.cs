namespace Spate;

/// <summary>Handles the datagrams that one socket of a <see cref="UdpPoller{TState}"/> has received.</summary>
/// <typeparam name="TState">The state that belongs to a socket, for instance its session.</typeparam>
/// <param name="socket">The socket. The handler may send from it, and close it.</param>
/// <param name="batch">
/// The datagrams, valid until the handler returns; <see cref="Datagram.Lease"/> keeps a payload valid for longer. The
/// handler must not dispose the batch.
/// </param>
/// <param name="state">
/// The state that was passed to <see cref="UdpPoller{TState}.Add"/> together with the socket.
/// </param>
public delegate void UdpPollCallback<in TState>(UdpSocket socket, ReceiveBatch batch, TState state);
