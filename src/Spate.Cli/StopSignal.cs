using System.Diagnostics;
using System.Runtime.InteropServices;
using Spate.Cli.Output;

namespace Spate.Cli;

/// <summary>
/// Turns the first SIGINT (Ctrl-C), SIGTERM or SIGHUP, or output that no longer arrives, into a request to end the run
/// with its summary.
/// </summary>
/// <remarks>
/// A further signal meets the system's default and ends the process at once, unless it comes together with the first:
/// timeout(1) sends its signal to the process and then to its group, so that the process has it twice.
/// </remarks>
internal sealed class StopSignal : IDisposable
{
    private static readonly TimeSpan _together = TimeSpan.FromMilliseconds(300);

    private readonly CancellationTokenSource _source;
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;
    private readonly PosixSignalRegistration _hangUp;
    private long _firstTicks;

    public StopSignal(Streams streams)
    {
        _source = CancellationTokenSource.CreateLinkedTokenSource(streams.OutputFailed);
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
        _hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, Stop);
    }

    public CancellationToken Token => _source.Token;

    public void Dispose()
    {
        _interrupt.Dispose();
        _terminate.Dispose();
        _hangUp.Dispose();
        _source.Dispose();
    }

    private void Stop(PosixSignalContext context)
    {
        // Handlers may run beside each other: the first to set the time is the first signal.
        long first = Interlocked.CompareExchange(ref _firstTicks, Stopwatch.GetTimestamp(), comparand: 0);
        context.Cancel = first == 0 || Stopwatch.GetElapsedTime(first) < _together;
        if (first == 0)
        {
            _source.Cancel();
        }
    }
}
