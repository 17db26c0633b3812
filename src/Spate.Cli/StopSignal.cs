using System.Runtime.InteropServices;

namespace Spate.Cli;

/// <summary>Turns the first SIGINT (Ctrl-C) or SIGTERM into a request to end the run with its summary.</summary>
/// <remarks>A second signal meets the system's default and ends the process at once.</remarks>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _source = new();
    private readonly PosixSignalRegistration _interrupt;
    private readonly PosixSignalRegistration _terminate;

    public StopSignal()
    {
        _interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
        _terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
    }

    public CancellationToken Token => _source.Token;

    public void Dispose()
    {
        _interrupt.Dispose();
        _terminate.Dispose();
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
