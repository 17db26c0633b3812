using System.Net;

namespace Spate.Cli.Bench;

/// <summary>One row of the bench: a way to send and a way to receive.</summary>
internal abstract class BenchTarget
{
    public abstract string Name { get; }

    /// <summary>Why the row cannot run on this machine, in one line; null when it can.</summary>
    public virtual string? UnavailableReason => null;

    /// <summary>Whether pool or library threads receive; the CPU time is the process's less the sender's.</summary>
    public virtual bool ReceivesElsewhere => false;

    /// <summary>Opens it on 127.0.0.1, at a port of the system's choice.</summary>
    public abstract BenchReceiver CreateReceiver(BenchSetup setup);

    public abstract BenchSender CreateSender(BenchSetup setup, IPEndPoint peer);
}

/// <summary>The settings of both ends of a round. The requested socket buffer is the same for every row.</summary>
internal readonly record struct BenchSetup(int SizeBytes, int BufferBytes);

/// <summary>The receiving end of a round.</summary>
internal abstract class BenchReceiver : IDisposable
{
    public BenchCounters Counters { get; } = new();

    public abstract IPEndPoint LocalEndPoint { get; }

    public abstract int BufferGrantedBytes { get; }

    /// <summary>Calls that returned datagrams: system calls where the row knows them, else the row's own.</summary>
    public virtual long Calls => Counters.Calls;

    /// <summary>Receives and reads datagrams until <see cref="Stop"/>. Runs on the receiver's own thread.</summary>
    public abstract void Run();

    /// <summary>Makes <see cref="Run"/> return soon. Another thread calls it, and may call it again.</summary>
    public abstract void Stop();

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>A second call must not throw.</summary>
    protected abstract void Close();
}

/// <summary>The sending end of a round.</summary>
internal abstract class BenchSender : IDisposable
{
    /// <summary>Datagrams per burst in rows that send them one at a time. The clock is read between bursts.</summary>
    public const int SinglesPerBurst = 64;

    /// <summary>Sends some datagrams on the sender's own thread; returns how many the system accepted.</summary>
    public abstract int SendBurst();

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public virtual long GsoFallbacks => 0;

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>A second call must not throw.</summary>
    protected abstract void Close();
}
