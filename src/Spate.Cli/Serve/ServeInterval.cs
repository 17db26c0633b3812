using Spate.Measurement.Traffic;

namespace Spate.Cli.Serve;

/// <summary>One interval of a server, reported while the run goes on.</summary>
/// <param name="Total">The figures of all threads together.</param>
/// <param name="KernelDrops">
/// What the kernel dropped in the interval because a socket was full; null where unknown.
/// </param>
internal sealed record ServeInterval(IntervalReport Total, long? KernelDrops);
