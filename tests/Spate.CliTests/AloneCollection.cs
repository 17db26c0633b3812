namespace Spate.CliTests;

/// <summary>Tests that change a setting of the host, which others would notice: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public static class AloneCollection
{
    public const string Name = "Alone";
}
