using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using Spate.Cli.Bench.Baselines;

namespace Spate.Cli.Bench.PingPong;

/// <summary>The end that sends pings and times the answers.</summary>
internal abstract class PingClient : IDisposable
{
    public abstract IPEndPoint LocalEndPoint { get; }

    /// <summary>An empty datagram ends a wait: no answer will come. So no call needs a time-out or hangs.</summary>
    public abstract void Run(PingLog log);

    public abstract void Dispose();

    /// <summary>An answer that comes late belongs to an earlier ping.</summary>
    protected static bool IsAnswer(ReadOnlySpan<byte> payload, ulong sequence) =>
        BinaryPrimitives.TryReadUInt64LittleEndian(payload, out ulong answered) && answered == sequence;
}

/// <summary>A client on a thread of its own.</summary>
internal abstract class ThreadPingClient(int sizeBytes) : PingClient
{
    private readonly byte[] _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    private readonly byte[] _answer = BaselineSocket.NewReceiveBuffer();

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

    /// <summary>Waits for a datagram and returns the length of its payload.</summary>
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
