using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Targets;
using Spate.Cli.Shell;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Drain;

/// <summary>Both ends of one row of the drain bench. One thread fills the queue and then drains it.</summary>
internal abstract class DrainPair : IDisposable
{
    public abstract int BufferGrantedBytes { get; }

    public virtual long GsoFallbacks => 0;

    /// <summary>Writes 8 bytes into each datagram and sends it; returns how many the system accepted.</summary>
    public abstract int Fill(int count);

    /// <summary>Receives until <paramref name="count"/> have come or none is left; returns how many came.</summary>
    public abstract int Drain(int count);

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    protected abstract void Close();
}

/// <summary>Both ends of one row that other benches have too.</summary>
internal sealed class TargetPair : DrainPair
{
    // A receive waits only if a datagram was lost, and then the round is refused.
    private const int MaxWaitMilliseconds = 200;

    private readonly BenchReceiver _receiver;
    private readonly BenchSender _sender;

    public TargetPair(BenchTarget target, int sizeBytes, int bufferBytes)
    {
        _receiver = target.CreateReceiver(new BenchSetup(sizeBytes, bufferBytes, MaxWaitMilliseconds));
        _sender = target.CreateSender(
            new BenchSetup(sizeBytes, BenchOptions.DefaultBufferBytes), _receiver.LocalEndPoint);
    }

    public override int BufferGrantedBytes => _receiver.BufferGrantedBytes;

    public override long GsoFallbacks => _sender.GsoFallbacks;

    public override int Fill(int count) => _sender.Send(count);

    public override int Drain(int count) => _receiver.Drain(count);

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }
}

/// <summary>One row at one size, with its open sockets and its rounds so far.</summary>
internal sealed class DrainCell(
    string name, int sizeBytes, string skippedName, DrainPair pair, int count, TimeProvider time)
    : BenchCell<DrainRound>(name, sizeBytes, skippedName), IDisposable
{
    // Tiered compilation recompiles a method after 30 calls. Several passes reach that even with few calls each.
    private const int WarmUpPasses = 5;

    /// <summary>The socket may be closed since.</summary>
    public int BufferGrantedBytes { get; } = pair.BufferGrantedBytes;

    /// <summary>Runs rounds that are not counted. None begins after <paramref name="maxTime"/>.</summary>
    public void WarmUp(TimeSpan maxTime)
    {
        long begin = time.GetTimestamp();
        for (int pass = 0; pass < WarmUpPasses && (pass == 0 || time.GetElapsedTime(begin) < maxTime); pass++)
        {
            _ = Measure();
        }
    }

    /// <summary>Throws if datagrams were lost, since the time would mean nothing.</summary>
    public DrainRound Measure()
    {
        long start = time.GetTimestamp();
        int sent = pair.Fill(count);
        long filled = time.GetTimestamp();
        int received = pair.Drain(sent);
        long drained = time.GetTimestamp();
        return sent == 0 || received < sent
            ? throw new BenchException($"of {count} datagrams {sent} were sent and {received} arrived, "
                + $"with a receive buffer of {BufferGrantedBytes} bytes")
            : new DrainRound(
                time.GetElapsedTime(filled, drained).TotalNanoseconds / received,
                time.GetElapsedTime(start, filled).TotalNanoseconds / sent);
    }

    public DrainRow ToRow()
    {
        double[] receive = [.. Rounds.Select(static round => round.ReceiveNanoseconds)];
        double[] send = [.. Rounds.Select(static round => round.SendNanoseconds)];
        return new DrainRow
        {
            Name = Name,
            SizeBytes = SizeBytes,
            ReceiveNanosecondsPerDatagram = Statistics.Median(receive),
            SendNanosecondsPerDatagram = Statistics.Median(send),
            ReceiveSpreadPercent = Statistics.SpreadPercent(receive),
            SendSpreadPercent = Statistics.SpreadPercent(send),
            Samples = receive,
            GsoFallbacks = pair.GsoFallbacks,
        };
    }

    public void Dispose() => pair.Dispose();
}

/// <summary>The times of one round per datagram.</summary>
internal readonly record struct DrainRound(double ReceiveNanoseconds, double SendNanoseconds);
