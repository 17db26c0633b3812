namespace Spate.HostTuning.Checks;

/// <summary>A check that looks at each interface.</summary>
internal abstract class InterfaceCheck : HostCheck
{
    /// <summary>The unit of growth in sentences about a card.</summary>
    protected const string Meanwhile = "while this looked";

    public sealed override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        foreach (HostInterface one in host.Interfaces)
        {
            if (Examine(host, one) is { } finding) yield return finding with { Interface = one.ShownName };
        }
    }

    /// <returns>What was found; null where the check does not apply to this interface.</returns>
    protected abstract CheckFinding? Examine(HostReadings host, HostInterface one);
}
