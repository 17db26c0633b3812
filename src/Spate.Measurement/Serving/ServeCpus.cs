using Spate.HostTuning.Cpus;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Serving;

/// <summary>The CPUs of a server's threads, with the claims by which other ends leave them alone.</summary>
/// <param name="numbers">The CPUs, for the threads in turn; empty where the system chooses.</param>
/// <param name="claims">The claims.</param>
internal sealed class ServeCpus(IReadOnlyList<int> numbers, CpuClaim[] claims) : IDisposable
{
    public IReadOnlyList<int> Numbers => numbers;

    /// <summary>The CPUs that were named, or else that of a receiver whose senders can only be on this host.</summary>
    public static ServeCpus Take(ServeOptions options)
    {
        IReadOnlyList<int> named = options.CpuIndexes;
        if (!options.PlacesBesidePeer || !OperatingSystem.IsLinux()) return new ServeCpus(named, []);

        if (named.Count > 0) return new ServeCpus(named, CpuClaim.TakeAll(named.Take(options.AllThreadCount)));

        // The threads of a server stay where they began, so a server that anyone may send to is not placed.
        bool isPlaced = options.AllThreadCount == 1
            && options.LocalEndPoints.Count > 0
            && options.LocalEndPoints.All(static local => local.IsLoopback);
        return isPlaced && PeerCpu.Choose(CpuFacts.Read(), isReceiver: true) is { } cpu
            && CpuClaim.TryTake(cpu) is { } claim
            ? new ServeCpus([cpu], [claim])
            : new ServeCpus([], []);
    }

    public void Dispose() => Array.ForEach(claims, static claim => claim.Dispose());
}
