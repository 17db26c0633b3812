using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>What decides the frequency of the CPUs.</summary>
internal sealed class GovernorCheck : HostCheck
{
    private const string Wanted = "performance";

    // CPUFREQ_NAME_LEN of linux/cpufreq.h.
    private const int MaxNameLength = 16;

    public override string Id => "governor";

    public override string Subject => "frequency of the CPUs";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var governors = new List<string>();
        var changes = new List<HostChange>();
        foreach (int cpu in host.Cpus.All.Select(static one => one.Number))
        {
            string folder = $"sys/devices/system/cpu/cpu{cpu}/cpufreq/";
            var setting = new FileSetting(folder + "scaling_governor");
            if (setting.Read(host.Request.RootPath) is not { } governor || !IsName(governor)) continue;

            governors.Add(governor);
            string[] available = (host.Files.ReadLine(folder + "scaling_available_governors") ?? "").Split(' ');
            if (governor is not Wanted && available.Contains(Wanted, StringComparer.Ordinal))
            {
                changes.Add(new HostChange(setting, governor, Wanted));
            }
        }

        if (governors.Count == 0)
        {
            yield return Unknown("The system shows no governor: the firmware or a hypervisor sets the frequency.");
            yield break;
        }

        string found = string.Join(", ", governors.CountBy(static one => one, StringComparer.Ordinal)
            .Select(static one => $"{one.Key} on {CheckText.Plural(one.Value, "CPU")}"));
        yield return governors.TrueForAll(static one => one is Wanted)
            ? Ok(found, "The CPUs keep their highest frequency.")
            : Advice(
                found,
                Wanted,
                "A CPU that has slowed down while little came is late when much comes (ESnet, 100G tuning).")
                .With(changes);
    }

    private static bool IsName(string text) =>
        text.Length <= MaxNameLength && text.All(static one => char.IsAsciiLetterOrDigit(one) || one is '_' or '-');
}
