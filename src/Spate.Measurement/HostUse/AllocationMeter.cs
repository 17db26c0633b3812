namespace Spate.Measurement.HostUse;

/// <summary>
/// What the process has allocated on the managed heap since the meter was made. A reading stops no thread, so it is
/// exact only to a thread's allocation block (about 8 KiB for each thread, either way). Safe to read from any thread.
/// </summary>
internal sealed class AllocationMeter
{
    private readonly long _startBytes = GC.GetTotalAllocatedBytes(precise: false);
    private readonly int _startGen0Collections = GC.CollectionCount(0);

    public long AllocatedBytes => Math.Max(0, GC.GetTotalAllocatedBytes(precise: false) - _startBytes);

    /// <summary>Collections since the meter was made: every collection collects generation 0.</summary>
    public int Gen0Collections => GC.CollectionCount(0) - _startGen0Collections;
}
