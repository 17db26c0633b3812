namespace Spate.Sockets;

/// <summary>What the selector has put together for a socket.</summary>
/// <param name="Backend">Its name, for users and for batches; never Automatic.</param>
/// <param name="Receiver">Receives, batches and single datagrams.</param>
/// <param name="Sender">Sends; of another backend where the receiver's has none.</param>
internal readonly record struct BackendPair(UdpBackend Backend, Receiver Receiver, Sender Sender);
