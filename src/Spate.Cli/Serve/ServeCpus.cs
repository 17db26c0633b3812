using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

/// <summary>The CPUs of a server's threads, with the claim by which other ends leave them alone.</summary>
/// <param name="numbers">The CPUs, for the threads in turn; empty where the system chooses.</param>
internal sealed class ServeCpus(IReadOnlyList<int> numbers, CpuClaim? claim) : IDisposable
{
    public IReadOnlyList<int> Numbers => numbers;

    /// <summary>The named CPUs, or the receiver's CPU where all senders are on this host.</summary>
    public static ServeCpus Take(ServeOptions options)
    {
        IReadOnlyList<int> named = options.Cpus;
        if (!options.PlacesBesidePeer) return new ServeCpus(named, claim: null);

        if (named.Count > 0) return new ServeCpus(named, CpuClaim.TakeAll(named.Take(options.AllThreadCount)));

        // The threads of a server stay where they began, so a server that anyone may send to is not placed.
        bool isPlaced = options.AllThreadCount == 1
            && options.LocalEndPoints.All(static local => local.Address.IsLoopback);
        return isPlaced && PeerCpu.OfServer() is { } cpu && CpuClaim.TryTake(cpu) is { } claim
            ? new ServeCpus([cpu], claim)
            : new ServeCpus([], claim: null);
    }

    public void Dispose() => claim?.Dispose();
}
