using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The memory of a socket's options and of its sends without a copy, from 100 Gbit/s on.</summary>
internal sealed class OptionMemoryCheck : HostCheck
{
    private const long NeedBytes = 1024 * 1024;

    private const string Reason =
        "Sends without a copy (MSG_ZEROCOPY) and control messages are charged to it; ESnet sets 1 MiB from 100 Gbit/s "
        + "on (fasterdata-tuning).";

    public override string Id => "optmem-max";

    public override string Subject => "memory of socket options";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.Needs.Profile != HostProfile.HundredGigabit) yield break;

        var setting = new SysctlSetting("net.core.optmem_max");
        if (host.Files.ReadNumber(setting.Path) is not { } bytes)
        {
            yield return Unknown($"{setting.Name} is not shown here.");
            yield break;
        }

        yield return bytes >= NeedBytes
            ? Ok(CheckText.Bytes(bytes), Reason)
            : BelowNeed(CheckText.Bytes(bytes), CheckText.Bytes(NeedBytes), Reason)
                .With(HostChange.Of(setting, bytes, NeedBytes));
    }
}
