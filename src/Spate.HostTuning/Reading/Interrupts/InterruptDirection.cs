namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>The direction of the datagrams that an interrupt announces.</summary>
internal enum InterruptDirection
{
    /// <summary>Both, or the driver's name for it does not tell.</summary>
    Both,

    /// <summary>Interrupts of arrivals only.</summary>
    Receive,

    /// <summary>Interrupts of completed sends only.</summary>
    Send,
}
