namespace Spate.CliTests;

/// <summary>Nothing runs in parallel with these if all tests run in one process, as in an editor.</summary>
[CollectionDefinition(ProcessWideAttribute.Group, DisableParallelization = true)]
public static class ProcessWideCollection
{
}

/// <summary>Nothing runs in parallel with these if all tests run in one process, as in an editor.</summary>
[CollectionDefinition(QuietHostAttribute.Group, DisableParallelization = true)]
public static class QuietHostCollection
{
}
