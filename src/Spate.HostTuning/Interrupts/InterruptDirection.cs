namespace Spate.HostTuning.Interrupts;

/// <summary>Which way the datagrams go that an interrupt announces.</summary>
public enum InterruptDirection
{
    /// <summary>Both, or the driver's name for it does not tell.</summary>
    Both,

    /// <summary>Arrivals only.</summary>
    Receive,

    /// <summary>Completed sends only.</summary>
    Send,
}
