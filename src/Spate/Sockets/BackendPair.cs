namespace Spate.Sockets;

/// <summary>The backend, receiver and sender that the selector chose for a socket.</summary>
/// <param name="Backend">
/// The backend; never Automatic. A socket accepts only batches that were made for the same backend.
/// </param>
/// <param name="Receiver">Receives batches and single datagrams.</param>
/// <param name="Sender">
/// Sends datagrams. Belongs to another backend if the receiver's backend has no sender of its own.
/// </param>
internal readonly record struct BackendPair(UdpBackend Backend, Receiver Receiver, Sender Sender);
