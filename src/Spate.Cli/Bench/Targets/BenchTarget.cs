using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Targets;

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

/// <summary>A row on System.Net.Sockets.</summary>
internal sealed class SocketTarget(
    string name,
    bool receivesElsewhere,
    Func<BenchSetup, BenchReceiver> openReceiver,
    Func<BenchSetup, IPEndPoint, BenchSender> openSender)
    : BenchTarget
{
    public static SocketTarget Blocking { get; } = new(
        "socket-blocking",
        receivesElsewhere: false,
        static setup => new BlockingReceiver(setup),
        static (setup, peer) => new BlockingSender(Open(setup), setup, peer));

    public static SocketTarget Async { get; } = new(
        "socket-async",
        receivesElsewhere: true,
        static setup => new AddressReceiver(Open(setup)),
        static (setup, peer) => new AddressSender(Open(setup), setup, peer));

    public static SocketTarget AsyncEndPoint { get; } = new(
        "socket-async-endpoint",
        receivesElsewhere: true,
        static setup => new EndPointReceiver(Open(setup)),
        static (setup, peer) => new EndPointSender(Open(setup), setup, peer));

    public static SocketTarget UdpClientAsync { get; } = new(
        "udpclient-async",
        receivesElsewhere: true,
        static setup => new UdpClientReceiver(OpenClient(setup)),
        static (setup, peer) => new UdpClientSender(OpenClient(setup), setup, peer));

    public override string Name => name;

    public override bool ReceivesElsewhere => receivesElsewhere;

    public override BenchReceiver CreateReceiver(BenchSetup setup) => openReceiver(setup);

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer) => openSender(setup, peer);

    private static Socket Open(BenchSetup setup) => BaselineSocket.Open(setup.BufferBytes);

    private static UdpClient OpenClient(BenchSetup setup) =>
        new(AddressFamily.InterNetwork) { Client = Open(setup) };
}

/// <summary>
/// A row on <see cref="UdpSocket"/>: batches at both ends, the loops that the library is made for, or one await per
/// datagram, as in a program that only replaces the calls of Socket.
/// </summary>
internal sealed class SpateTarget(SpateRow row, bool awaitsEach = false) : BenchTarget
{
    public override string Name => row.Name;

    public override string? UnavailableReason => row.UnavailableReason;

    public override bool ReceivesElsewhere => awaitsEach;

    public override BenchReceiver CreateReceiver(BenchSetup setup) => row.Open<BenchReceiver>(
        setup.BufferBytes, socket => awaitsEach ? new SpateAwaitReceiver(socket) : new SpateBatchReceiver(socket));

    public override BenchSender CreateSender(BenchSetup setup, IPEndPoint peer)
    {
        var to = UdpEndPoint.FromIPEndPoint(peer);
        return row.Open<BenchSender>(setup.BufferBytes, socket => awaitsEach
            ? new SpateAwaitSender(socket, setup.SizeBytes, to)
            : new SpateBatchSender(socket, setup.SizeBytes, to));
    }
}

/// <summary>The settings of both ends of a round. The requested socket buffer is the same for every row.</summary>
/// <param name="MaxWaitMilliseconds">
/// The longest wait of a blocking receive (SO_RCVTIMEO): how often an idle receiver looks whether it is to stop. A
/// busy one never waits this long.
/// </param>
internal readonly record struct BenchSetup(int SizeBytes, int BufferBytes, int MaxWaitMilliseconds = 50);

/// <summary>The receiving end of a round.</summary>
internal abstract class BenchReceiver : IDisposable
{
    public BenchCounters Counters { get; } = new();

    public abstract IPEndPoint LocalEndPoint { get; }

    public abstract int BufferGrantedBytes { get; }

    /// <summary>Calls that returned datagrams: system calls where the row knows them, else the row's own.</summary>
    public virtual long Calls => Counters.Calls;

    /// <summary>Sum of peer ports and first bytes, so that the compiler cannot leave out reading them.</summary>
    protected long Checksum { get; set; }

    /// <summary>Receives and reads datagrams until <see cref="Stop"/>. Runs on the receiver's own thread.</summary>
    public abstract void Run();

    /// <summary>
    /// Receives on the calling thread until <paramref name="count"/> have come or none is left; returns how many came.
    /// Only the rows of the drain bench can.
    /// </summary>
    public virtual int Drain(int count) => throw new NotSupportedException();

    /// <summary>Makes <see cref="Run"/> return soon. Another thread calls it, and may call it again.</summary>
    public abstract void Stop();

    /// <summary>A second call must not throw.</summary>
    public abstract void Dispose();
}

/// <summary>The sending end of a round.</summary>
internal abstract class BenchSender : IDisposable
{
    /// <summary>Datagrams per burst in rows that send them one at a time. The clock is read between bursts.</summary>
    public const int SinglesPerBurst = 64;

    /// <summary>Writes 8 bytes into each datagram and sends it; returns how many the system accepted.</summary>
    public abstract int Send(int count);

    /// <summary>Sends some datagrams between two looks at the clock; returns how many the system accepted.</summary>
    public virtual int SendBurst() => Send(SinglesPerBurst);

    /// <summary>GSO messages that the route refused; their datagrams were sent plainly.</summary>
    public virtual long GsoFallbacks => 0;

    /// <summary>A second call must not throw.</summary>
    public abstract void Dispose();
}
