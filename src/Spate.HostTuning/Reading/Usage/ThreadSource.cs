namespace Spate.HostTuning.Reading.Usage;

/// <summary>The source of the figures of one thread: one form per system.</summary>
internal abstract class ThreadSource : IDisposable
{
    public abstract ThreadUsage Usage { get; }

    public abstract ThreadTimes Times { get; }

    public abstract string? AllowedCpuList { get; }

    public abstract void Dispose();
}
