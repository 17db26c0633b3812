namespace Spate.HostTuning.Checks.Paths;

/// <summary>The checks of the way to another host.</summary>
internal static class PathChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
        [new PathMtuCheck(), new JumboCheck(), new EcmpCheck(), new EcnCheck()];
}
