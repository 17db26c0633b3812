using System.Net;

namespace Spate.Cli.Traffic;

/// <summary>What <c>spate receive</c> was asked to do, checked, names resolved.</summary>
internal sealed record ReceiveSettings(TrafficSettings Traffic, IPEndPoint Local);
