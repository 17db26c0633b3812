using System.Runtime.ExceptionServices;

namespace Spate.Sockets;

/// <summary>
/// Runs the steps with which something ends. All of them must be run, so the first exception is kept for the end.
/// </summary>
internal sealed class EndingFault
{
    public Exception? Exception { get; private set; }

    public void Try(Action step)
    {
        try
        {
            step();
        }
        catch (Exception exception)
        {
            Exception ??= exception;
        }
    }

    public void Throw()
    {
        if (Exception is not null) ExceptionDispatchInfo.Throw(Exception);
    }
}
