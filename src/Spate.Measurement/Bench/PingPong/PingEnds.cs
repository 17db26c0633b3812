using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;

namespace Spate.Measurement.Bench.PingPong;

/// <summary>A row of the ping-pong bench.</summary>
/// <param name="Mode">Its name.</param>
/// <param name="RunsOnPool">Whether both ends run on pool threads, so that neither is pinned.</param>
/// <param name="OpenServer">Opens and starts the answering end, on a CPU.</param>
/// <param name="OpenClient">Opens the asking end, for a size and the server's address.</param>
internal sealed record PingTarget(
    string Mode,
    bool RunsOnPool,
    Func<int?, PongServer> OpenServer,
    Func<int, IPEndPoint, PingClient> OpenClient);

/// <summary>The end that sends back whatever it gets, on its own thread or on the pool's, until it is closed.</summary>
internal abstract class PongServer : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>
    /// CPU time of its own threads so far; null where they are the pool's, or the system does not tell.
    /// </summary>
    public virtual long? CpuNanoseconds => null;

    /// <summary>Stops answering and closes.</summary>
    public abstract void Dispose();
}

/// <summary>The end that asks and times the answers.</summary>
internal abstract class PingClient : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>
    /// Asks until the log is full. A wait is ended by an empty datagram from anybody, which means that no answer will
    /// come: so there is no time-out on the way of a ping, and none can hang.
    /// </summary>
    public abstract void Run(PingLog log);

    /// <summary>Closes the socket of this end.</summary>
    public abstract void Dispose();

    /// <summary>Whether these bytes answer a ping; what comes late answers an older one.</summary>
    protected static bool IsAnswer(ReadOnlySpan<byte> payload, ulong sequence) =>
        BinaryPrimitives.TryReadUInt64LittleEndian(payload, out ulong answered) && answered == sequence;
}

/// <summary>A client on a thread of its own.</summary>
internal abstract class ThreadPingClient(int sizeBytes) : PingClient
{
    private readonly byte[] _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    private readonly byte[] _answer = Baselines.BaselineSocket.NewReceiveBuffer();

    public override void Run(PingLog log)
    {
        while (log.TryNext(out ulong sequence))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload, sequence);
            long start = Stopwatch.GetTimestamp();
            Send(_payload);
            if (WaitForAnswer(sequence)) log.Add(Stopwatch.GetTimestamp() - start);
            else log.AddLost();
        }
    }

    protected abstract void Send(byte[] payload);

    /// <summary>Waits for a datagram in this client's way.</summary>
    /// <returns>Its length.</returns>
    protected abstract int Receive(byte[] buffer);

    private bool WaitForAnswer(ulong sequence)
    {
        while (true)
        {
            int length = Receive(_answer);
            if (length == 0) return false;
            if (IsAnswer(_answer.AsSpan(0, length), sequence)) return true;
        }
    }
}
