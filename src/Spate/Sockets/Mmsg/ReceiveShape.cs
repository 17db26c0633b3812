namespace Spate.Sockets.Mmsg;

/// <summary>
/// What a socket needs in its receive headers. Batches go from socket to socket; headers are built anew only where
/// this differs.
/// </summary>
/// <param name="NameBytes">Room for the peer's address; 0 on a connected socket, whose peer is known.</param>
/// <param name="ControlBytes">Room for control messages; 0 where none was asked for.</param>
/// <param name="Remote">The peer of a connected socket, otherwise default.</param>
internal readonly record struct ReceiveShape(uint NameBytes, int ControlBytes, UdpEndPoint Remote);
