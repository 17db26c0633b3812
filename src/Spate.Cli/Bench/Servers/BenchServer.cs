using System.Net;

namespace Spate.Cli.Bench.Servers;

/// <summary>
/// The end of a bench that answers or forwards each datagram, on a thread of its own or on pool threads, until it is
/// disposed.
/// </summary>
internal abstract class BenchServer : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>
    /// The CPU time of the server's own threads so far. Null where pool threads do the work, and where the system does
    /// not tell.
    /// </summary>
    public virtual long? CpuNanoseconds => null;

    /// <summary>Stops the server and closes its socket.</summary>
    public abstract void Dispose();
}
