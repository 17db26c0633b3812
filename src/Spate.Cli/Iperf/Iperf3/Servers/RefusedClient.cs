using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// A client that was refused reads the refusal, and closes: closed before that, the connection would be reset, and the
/// refusal might be lost. One thread.
/// </summary>
internal sealed class RefusedClient(ControlStream control, TimeProvider time)
{
    // More than a client sends before it waits for an answer. Who goes on sending is not read for the whole time.
    private const int MaxBytes = 16 * 1024;

    public static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(1);

    private readonly long _sinceTicks = time.GetTimestamp();
    private int _readBytes;

    /// <summary>Reads what nobody needs. Returns whether the client has closed, or had its time.</summary>
    public bool HasRead(TimeSpan wait)
    {
        try
        {
            while (_readBytes < MaxBytes && control.TryReadState(wait, out _))
            {
                _readBytes++;
                wait = TimeSpan.Zero;
            }
        }
        catch (Iperf3Exception)
        {
            return true;
        }

        return _readBytes == MaxBytes || time.GetElapsedTime(_sinceTicks) > MaxTime;
    }
}
