namespace Spate.Tests.Measurement.Bench;

/// <summary>Tests that load both CPUs for seconds. They run alone, so that they and others are not disturbed.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class LoopbackLoad
{
    public const string Name = "loopback load";
}
