namespace Spate.Sockets;

/// <summary>The backend, receiver and sender that the selector chose for a socket.</summary>
/// <param name="Backend">The backend's name, for users and for batches; never Automatic.</param>
/// <param name="Receiver">Receives batches and single datagrams.</param>
/// <param name="Sender">Sends; belongs to another backend if the receiver's backend has no sender.</param>
internal readonly record struct BackendPair(UdpBackend Backend, Receiver Receiver, Sender Sender);
