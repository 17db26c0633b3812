namespace Spate.Hosting;

/// <summary>
/// What becomes of the host when a server has ended by an exception that came from no handler. Exceptions of handlers
/// never end a server.
/// </summary>
public enum UdpServerExceptionBehavior
{
    /// <summary>
    /// The host is stopped, as by default when a <c>BackgroundService</c> throws: a process that listens no more should
    /// be started anew by what supervises it.
    /// </summary>
    StopHost = 0,

    /// <summary>The host goes on. The health check of the server reports the failure.</summary>
    Ignore,
}
