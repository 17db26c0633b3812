using System.Diagnostics.CodeAnalysis;
using Spate.Serving.Threading;

namespace Spate.Serving;

/// <summary>
/// How a <see cref="UdpServer"/> divides work among threads. The static properties are the designs to choose from;
/// <see cref="UdpComparisonDesigns"/> has those that show what another way would cost. A design "keeps peers" if all
/// datagrams of a peer are handled by one thread, in the order in which they arrived. Sessions are possible only then
/// (<see cref="UdpShard.CreateSessionTable{TSession}"/>). With one thread every design keeps peers.
/// </summary>
public sealed class UdpServerDesign
{
    internal UdpServerDesign(string name, DesignTraits traits, bool isForComparison = false)
    {
        Name = name;
        Traits = traits;
        IsForComparison = isForComparison;
    }

    /// <summary>
    /// One socket and one thread per shard; the kernel spreads peers over the shards (SO_REUSEPORT,
    /// <see cref="UdpSteering"/>). Keeps peers, except with <see cref="UdpSteering.Cpu"/> and
    /// <see cref="UdpSteering.Spread"/>. This is the default, and the fastest design if consecutive datagrams come from
    /// the same peer. Several shards need Linux or macOS, or on Windows Winsock or Rio with SIO_CPU_AFFINITY. On
    /// Windows a peer may change shards, so sessions are refused. Shards have never run on Windows. The kernel gives
    /// each broadcast to every socket of the port, so every shard receives each broadcast. Handle broadcasts only on
    /// the shard with index 0, or use a design whose threads share a socket.
    /// </summary>
    public static UdpServerDesign Sharded { get; } = new(
        "sharded", new DesignTraits(SharesSocket: false, HasReader: false, ParksThreads: false, OnePerCall: false));

    /// <summary>
    /// All threads share one socket, but only as many threads are awake as the load needs. One thread waits for
    /// datagrams: it spins while datagrams come quickly, and sleeps otherwise. A call that receives
    /// <see cref="UdpServerOptions.WakeThreshold"/> datagrams or more wakes one more thread. A call that receives fewer
    /// wakes no thread. If the handler then blocks and no other thread is awake, newly arriving datagrams wait until
    /// the handler returns. Does not keep peers.
    /// </summary>
    public static UdpServerDesign Adaptive { get; } = new(
        "adaptive", new DesignTraits(SharesSocket: true, HasReader: false, ParksThreads: true, OnePerCall: false)
        {
            Wait = UdpServerWait.Adaptive,
        });

    /// <summary>
    /// One thread receives many datagrams per call and hands filled batches to the other threads. The other threads put
    /// used batches on a lock-free stack, from which the receiving thread takes all batches in one exchange. Does not
    /// keep peers.
    /// </summary>
    public static UdpServerDesign ReaderWorkers { get; } = new(
        "reader-workers",
        new DesignTraits(SharesSocket: true, HasReader: true, ParksThreads: true, OnePerCall: false));

    /// <summary>
    /// The designs to choose from: those that are properties of this type. <see cref="UdpComparisonDesigns.All"/> has
    /// the others.
    /// </summary>
    public static IReadOnlyList<UdpServerDesign> All { get; } = [Sharded, Adaptive, ReaderWorkers];

    /// <summary>
    /// The name in configurations, in commands and in reports, in lower case with hyphens: <c>reader-workers</c>.
    /// </summary>
    public string Name { get; }

    /// <summary>Whether the design is one of <see cref="UdpComparisonDesigns"/>.</summary>
    public bool IsForComparison { get; }

    /// <summary>
    /// Whether one more thread than <see cref="UdpServerOptions.ThreadCount"/> runs, which receives for the others.
    /// </summary>
    public bool HasReceivingThread => Traits.HasReader;

    internal DesignTraits Traits { get; }

    private static IEnumerable<UdpServerDesign> Every => All.Concat(UdpComparisonDesigns.All);

    /// <summary>Returns the design with a name, among those to choose from and those for comparison.</summary>
    /// <param name="name">A <see cref="Name"/>, in the same case.</param>
    /// <exception cref="FormatException">No design has the name.</exception>
    public static UdpServerDesign Parse(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (TryParse(name, out UdpServerDesign? design)) return design;
        throw new FormatException($"No design has this name: expected one of {string.Join(", ", Every)}.");
    }

    /// <summary>Finds the design with a name, among those to choose from and those for comparison.</summary>
    /// <param name="name">A <see cref="Name"/>, in the same case; may be null.</param>
    /// <param name="design">The design; null if no design has the name.</param>
    /// <returns>False if no design has the name.</returns>
    public static bool TryParse([NotNullWhen(true)] string? name, [NotNullWhen(true)] out UdpServerDesign? design)
    {
        design = Every.FirstOrDefault(one => string.Equals(one.Name, name, StringComparison.Ordinal));
        return design is not null;
    }

    /// <summary>Returns <see cref="Name"/>.</summary>
    public override string ToString() => Name;
}
