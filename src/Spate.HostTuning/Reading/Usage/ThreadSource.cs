namespace Spate.HostTuning.Reading.Usage;

/// <summary>The source of the figures of one thread: one form per system.</summary>
internal abstract class ThreadSource : IDisposable
{
    /// <inheritdoc cref="ThreadMeter.Usage"/>
    public abstract ThreadUsage Usage { get; }

    /// <inheritdoc cref="ThreadMeter.Times"/>
    public abstract ThreadTimes Times { get; }

    /// <inheritdoc cref="ThreadMeter.AllowedCpuList"/>
    public abstract string? AllowedCpuList { get; }

    public abstract void Dispose();
}
