using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>A socket that is filled and then drained with lookups. Tests have one without sockets.</summary>
internal interface ISessionsPair : IDisposable
{
    int SizeBytes { get; }

    int DatagramCount { get; }

    int BufferGrantedBytes { get; }

    long GsoFallbacks { get; }

    /// <summary>Returns the number of datagrams that the system accepted.</summary>
    int Fill(int count);

    /// <summary>Receives until so many have come or the queue is empty; returns how many came.</summary>
    int Drain(int count);

    /// <summary>
    /// Counts each datagram in the session of its peer; each peer has 2 to the power of <paramref name="runShift"/> in
    /// succession. Returns how many sessions were found.
    /// </summary>
    int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift);
}
