using Spate.Gateway;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Gateway;

/// <summary>One interval of a gateway, reported while the run goes on.</summary>
/// <param name="Total">What arrived, and what it cost.</param>
/// <param name="Committed">Datagrams committed in the interval.</param>
/// <param name="Dropped">Datagrams dropped in the interval, for every reason.</param>
/// <param name="KernelDrops">What the kernel dropped in the interval; null where unknown.</param>
/// <param name="Now">The gateway since its start.</param>
internal sealed record GatewayInterval(
    IntervalReport Total, long Committed, long Dropped, long? KernelDrops, GatewayStatistics Now);
