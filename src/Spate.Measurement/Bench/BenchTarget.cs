using System.Net;

namespace Spate.Measurement.Bench;

/// <summary>One row of the bench: a way to send and a way to receive.</summary>
internal abstract class BenchTarget
{
    /// <summary>The row's name in tables and JSON.</summary>
    public abstract string Name { get; }

    /// <summary>Why the row cannot run on this machine, one line; null when it can.</summary>
    public virtual string? UnavailableReason => null;

    /// <summary>
    /// True when receiving happens on pool or library threads, so that its CPU time is the process's less the sender
    /// thread's; false when it happens on the receiver's own thread, whose CPU time is then read.
    /// </summary>
    public virtual bool ReceivesElsewhere => false;

    /// <summary>Opens the receiving end on 127.0.0.1, at a port of the system's choice.</summary>
    public abstract BenchReceiver CreateReceiver(BenchSetup setup);

    /// <summary>Opens the sending end.</summary>
    public abstract BenchSender CreateSender(BenchSetup setup, IPEndPoint peer);
}

/// <summary>What both ends of a round must know.</summary>
/// <param name="SizeBytes">Payload bytes of every datagram.</param>
/// <param name="BufferBytes">Socket buffer to ask for, the same for every row.</param>
internal readonly record struct BenchSetup(int SizeBytes, int BufferBytes);

/// <summary>The receiving end of a round.</summary>
internal abstract class BenchReceiver : IDisposable
{
    /// <summary>What came so far.</summary>
    public BenchCounters Counters { get; } = new();

    /// <summary>Where the sender has to send to.</summary>
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>Receive buffer that the system granted, in bytes.</summary>
    public abstract int BufferGrantedBytes { get; }

    /// <summary>Calls that brought something: of the system where the row knows them, else of the row.</summary>
    public virtual long Calls => Counters.Calls;

    /// <summary>Visits every datagram until <see cref="Stop"/>; called on the receiver's own thread.</summary>
    public abstract void Run();

    /// <summary>Makes <see cref="Run"/> return soon; called from another thread, possibly more than once.</summary>
    public abstract void Stop();

    /// <summary>Closes the socket.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the socket; must not throw when called twice.</summary>
    protected abstract void Close();
}

/// <summary>The sending end of a round.</summary>
internal abstract class BenchSender : IDisposable
{
    /// <summary>Datagrams per burst of the rows that send one at a time; the clock is read between bursts.</summary>
    public const int SinglesPerBurst = 64;

    /// <summary>Writes and sends some datagrams; called on the sender's own thread only.</summary>
    /// <returns>How many the system accepted.</returns>
    public abstract int SendBurst();

    /// <summary>Trains that the route refused, so that their datagrams were sent plainly.</summary>
    public virtual long Demotions => 0;

    /// <summary>Closes the socket.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the socket; must not throw when called twice.</summary>
    protected abstract void Close();
}
