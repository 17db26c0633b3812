using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.Cli.Shell.Output;

/// <summary>
/// Requests that the run ends with its summary, at the first SIGINT (Ctrl-C), SIGTERM or SIGHUP, or when stdout cannot
/// be written to any more. <see cref="Streams.StopRequested"/>, if given, replaces the signals.
/// A further signal has the system's default effect and ends the process at once. A signal that follows the first
/// within 0.3 s counts as the same one: timeout(1) signals the process and then its group, so the process gets two.
/// </summary>
internal sealed class StopSignal : IDisposable
{
    private static readonly TimeSpan MaxGap = TimeSpan.FromMilliseconds(300);

    private readonly CancellationTokenSource _source;
    private readonly PosixSignalRegistration[] _signals;
    private long _firstTicks;

    public StopSignal(Streams streams)
    {
        _source = CancellationTokenSource.CreateLinkedTokenSource(
            streams.OutputFailed, streams.StopRequested ?? CancellationToken.None);
        _signals = streams.StopRequested is not null
            ? []
            :
            [
                PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop),
                PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop),
                PosixSignalRegistration.Create(PosixSignal.SIGHUP, Stop),
            ];
    }

    public CancellationToken Token => _source.Token;

    public void Dispose()
    {
        foreach (PosixSignalRegistration signal in _signals) signal.Dispose();
        _source.Dispose();
    }

    private void Stop(PosixSignalContext context)
    {
        // Handlers may run at the same time. The handler that sets the time has the first signal.
        long first = Interlocked.CompareExchange(ref _firstTicks, Stopwatch.GetTimestamp(), comparand: 0);
        context.Cancel = first == 0 || Stopwatch.GetElapsedTime(first) < MaxGap;
        if (first == 0) _source.Cancel();
    }
}
