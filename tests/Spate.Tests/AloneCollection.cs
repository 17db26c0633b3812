namespace Spate.Tests;

/// <summary>
/// Tests that look at the whole process (allocation, descriptors, events), so nothing may run beside them.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class AloneCollection
{
    public const string Name = "Alone";
}
