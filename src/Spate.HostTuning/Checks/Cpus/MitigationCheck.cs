namespace Spate.HostTuning.Checks.Cpus;

/// <summary>What the kernel does against flaws of the processor. It explains figures; nobody is to change it.</summary>
internal sealed class MitigationCheck : HostCheck
{
    private const string Folder = "sys/devices/system/cpu/vulnerabilities";
    private const int MaxFlaws = 64;

    public override string Id => "mitigations";

    public override string Subject => "what is done against flaws of the processor";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        List<string> names = host.Files.ListNames(Folder, MaxFlaws);
        if (names.Count == 0)
        {
            yield return Unknown($"/{Folder} is not shown here.");
            yield break;
        }

        names.Sort(StringComparer.Ordinal);
        string on = string.Join(", ", names
            .Where(name => host.Files.ReadLine($"{Folder}/{name}")?.StartsWith("Mitigation", StringComparison.Ordinal)
                == true)
            .Select(CheckText.Name));
        yield return Ok(
            on.Length > 0 ? $"on for {on}" : "none on",
            "They make each system call dearer, some by half; two hosts compare only if theirs are alike "
                + "(hw-vuln/index.rst).");
    }
}
