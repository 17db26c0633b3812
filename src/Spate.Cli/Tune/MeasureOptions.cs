using System.Net;
using Spate.Cli.Tune.Trials;

namespace Spate.Cli.Tune;

/// <summary>What <c>spate tune --measure</c> is asked to measure.</summary>
/// <param name="Target">The server of <c>--to</c>; null for ends on this host.</param>
/// <param name="InNamespaces">Whether the ends are in two namespaces.</param>
/// <param name="Trials">How to measure, with an infinite rate where none is named.</param>
/// <param name="NamesRate">Whether the rate was named; false means that it is looked for.</param>
internal sealed record MeasureOptions(IPEndPoint? Target, bool InNamespaces, TrialOptions Trials, bool NamesRate);
