namespace Spate.Tests.Measurement.Bench;

/// <summary>Tests that load both CPUs for seconds: they run alone, undisturbed and disturbing none.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class LoopbackLoad
{
    public const string Name = "loopback load";
}
