using System.Runtime.CompilerServices;

namespace Spate.Tests;

/// <summary>
/// Probes this machine before any test runs. The process keeps the first answer, and a test that enters a bare network
/// namespace would otherwise be the one that asks: "loopback is down" would then skip tests of the whole process.
/// </summary>
internal static class ProbedCapabilities
{
    [ModuleInitializer]
    internal static void Probe() => _ = UdpCapabilities.Current.All;
}
