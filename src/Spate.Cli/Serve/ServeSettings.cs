using Spate.Cli.Traffic;
using Spate.Measurement.Serving;

namespace Spate.Cli.Serve;

/// <summary>What <c>spate serve</c> was asked to do, checked, names resolved.</summary>
/// <param name="Serve">The server; its CPUs are still to be chosen.</param>
/// <param name="Traffic">What it has in common with <c>receive</c>; a flow is a thread.</param>
internal sealed record ServeSettings(ServeOptions Serve, TrafficSettings Traffic);
