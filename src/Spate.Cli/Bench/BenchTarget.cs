using System.Net;

namespace Spate.Cli.Bench;

/// <summary>One row of the bench: a way to send and a way to receive.</summary>
internal abstract class BenchTarget
{
    /// <summary>The row's name in tables and JSON.</summary>
    public abstract string Name { get; }

    /// <summary>Why the row cannot run on this machine, in one line; null when it can.</summary>
    public virtual string? UnavailableReason => null;

    /// <summary>
    /// Whether pool or library threads receive. The CPU time of receiving is then that of the process less that of the
    /// sender's thread; otherwise it is that of the receiver's own thread.
    /// </summary>
    public virtual bool ReceivesElsewhere => false;

    /// <summary>Opens the receiving end on 127.0.0.1, at a port of the system's choice.</summary>
    public abstract BenchReceiver CreateReceiver(BenchSetup setup);

    /// <summary>Opens the sending end.</summary>
    public abstract BenchSender CreateSender(BenchSetup setup, IPEndPoint peer);
}

/// <summary>The settings of both ends of a round.</summary>
/// <param name="SizeBytes">Payload bytes of every datagram.</param>
/// <param name="BufferBytes">The socket buffer to request, the same for every row.</param>
internal readonly record struct BenchSetup(int SizeBytes, int BufferBytes);

/// <summary>The receiving end of a round.</summary>
internal abstract class BenchReceiver : IDisposable
{
    /// <summary>The datagrams received so far.</summary>
    public BenchCounters Counters { get; } = new();

    /// <summary>The address that the sender sends to.</summary>
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>The receive buffer that the system granted, in bytes.</summary>
    public abstract int BufferGrantedBytes { get; }

    /// <summary>
    /// Calls that returned datagrams: system calls where the row knows their number, otherwise the row's own calls.
    /// </summary>
    public virtual long Calls => Counters.Calls;

    /// <summary>Receives and reads datagrams until <see cref="Stop"/>. Runs on the receiver's own thread.</summary>
    public abstract void Run();

    /// <summary>Makes <see cref="Run"/> return soon. Another thread calls it, and may call it again.</summary>
    public abstract void Stop();

    /// <summary>Closes the socket.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the socket. A second call must not throw.</summary>
    protected abstract void Close();
}

/// <summary>The sending end of a round.</summary>
internal abstract class BenchSender : IDisposable
{
    /// <summary>Datagrams per burst in rows that send them one at a time. The clock is read between bursts.</summary>
    public const int SinglesPerBurst = 64;

    /// <summary>Writes and sends some datagrams. Runs on the sender's own thread.</summary>
    /// <returns>The number of datagrams that the system accepted.</returns>
    public abstract int SendBurst();

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public virtual long GsoFallbacks => 0;

    /// <summary>Closes the socket.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the socket. A second call must not throw.</summary>
    protected abstract void Close();
}
