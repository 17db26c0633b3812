using System.Runtime.InteropServices;

namespace Spate.Cli;

/// <summary>
/// Turns the first SIGINT (Ctrl-C), SIGTERM or SIGHUP, or output that no longer arrives, into a request to end the run
/// with its summary.
/// </summary>
/// <remarks>A second signal meets the system's default and ends the process at once.</remarks>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _source;
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;
    private readonly PosixSignalRegistration _hangUp;

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
        context.Cancel = !_source.IsCancellationRequested;
        if (context.Cancel)
        {
            _source.Cancel();
        }
    }
}
