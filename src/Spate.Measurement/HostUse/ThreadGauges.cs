namespace Spate.Measurement.HostUse;

/// <summary>Gauges of several threads of this process, in a fixed order.</summary>
/// <param name="systemThreadIds">The threads' system numbers, as gettid(2) or GetCurrentThreadId returns them.</param>
internal sealed class ThreadGauges(IEnumerable<int> systemThreadIds) : IDisposable
{
    private readonly ThreadGauge[] _gauges = [.. systemThreadIds.Select(static id => new ThreadGauge(id))];

    /// <summary>What each thread has used since the gauges were made.</summary>
    public ThreadUse[] Read() => [.. _gauges.Select(static gauge => gauge.Use)];

    /// <summary>The CPUs that each thread may run on; null if unknown.</summary>
    public string?[] ReadAllowedCpuLists() => [.. _gauges.Select(static gauge => gauge.AllowedCpuList)];

    public void Dispose() => Array.ForEach(_gauges, static gauge => gauge.Dispose());
}
