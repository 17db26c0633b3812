using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>
/// A socket that is filled and then drained with a lookup for every datagram. Tests have one without sockets.
/// </summary>
internal interface ISessionsPair : IDisposable
{
    /// <summary>Payload bytes of a datagram.</summary>
    int SizeBytes { get; }

    /// <summary>The number of datagrams of a round.</summary>
    int DatagramCount { get; }

    /// <summary>The receive buffer that the system granted, in bytes.</summary>
    int BufferGrantedBytes { get; }

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    long GsoFallbacks { get; }

    /// <summary>Sends a number of datagrams.</summary>
    /// <returns>The number of datagrams that the system accepted.</returns>
    int Fill(int count);

    /// <summary>Receives datagrams until a number of them have come or the queue is empty.</summary>
    /// <returns>The number of datagrams received.</returns>
    int Drain(int count);

    /// <summary>Receives what is queued, and counts each datagram in the session of its peer in the sequence.</summary>
    /// <param name="table">The table with the sessions of all peers.</param>
    /// <param name="sequence">The peers in order.</param>
    /// <param name="runShift">Each peer has 2 to the power of this many datagrams in succession.</param>
    /// <returns>The number of datagrams whose session was found.</returns>
    int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift);
}
