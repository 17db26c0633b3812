using System.Net;

namespace Spate.Cli.Bench.Servers;

/// <summary>Answers or forwards each datagram, on a thread of its own or on the pool, until it is disposed.</summary>
internal abstract class BenchServer : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>That of the server's own threads; null on the pool, and where the system does not tell.</summary>
    public virtual long? CpuNanoseconds => null;

    public abstract void Dispose();
}
