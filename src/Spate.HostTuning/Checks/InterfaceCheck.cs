namespace Spate.HostTuning.Checks;

/// <summary>A check that looks at each interface.</summary>
internal abstract class InterfaceCheck : HostCheck
{
    protected const string Meanwhile = "while this looked";

    public sealed override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        foreach (HostInterface one in host.Interfaces)
        {
            if (Examine(host, one) is { } finding) yield return finding with { Interface = one.ShownName };
        }
    }

    protected abstract CheckFinding? Examine(HostReadings host, HostInterface one);
}
