namespace Spate.Measurement.PathTest;

/// <summary>One socket of a test with the streams that it carries.</summary>
/// <param name="Socket">Connected to the other end.</param>
/// <param name="ForwardStream">The stream from the client to the server.</param>
/// <param name="ReverseStream">The stream from the server to the client.</param>
internal sealed record TestFlow(UdpSocket Socket, ulong ForwardStream, ulong ReverseStream);
