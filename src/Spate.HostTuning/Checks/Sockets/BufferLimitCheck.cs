using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The largest buffer that a program without privileges gets.</summary>
internal sealed class BufferLimitCheck(bool isReceive) : HostCheck
{
    public override string Id => isReceive ? "rmem-max" : "wmem-max";

    public override string Subject => isReceive ? "largest receive buffer" : "largest send buffer";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var setting = new SysctlSetting(isReceive ? "net.core.rmem_max" : "net.core.wmem_max");
        if (host.Files.ReadNumber(setting.Path) is not { } bytes)
        {
            yield return Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container.");
            yield break;
        }

        string found = CheckText.Bytes(bytes);
        long need = host.Needs.BufferLimitBytes;
        if (bytes >= need)
        {
            yield return Ok(found, $"A program may ask for as much as the profile needs ({CheckText.Bytes(need)}).");
            yield break;
        }

        string wanted = CheckText.Bytes(need);
        long lost = isReceive ? ReceiveBuffers.DropsAtLimit(host, bytes) : SendBufferCheck.RefusedAtLimit(host, bytes);
        CheckFinding finding = lost > 0
            ? Problem(found, wanted, $"{Evidence(lost)} {Why}", lost)
            : BelowNeed(found, wanted, Why);
        yield return finding.With(HostChange.Of(setting, bytes, need));
    }

    private string Why => isReceive
        ? "A reader that pauses loses what does not fit into its buffer, and without privileges the kernel grants "
            + "no more than this (socket(7), SO_RCVBUF)."
        : "A sender with a small buffer is stopped, or refused, by each queue below it (socket(7), SO_SNDBUF).";

    private string Evidence(long lost) => isReceive
        ? $"Sockets whose buffer is as large as this allows dropped {CheckText.Count(lost)} while this looked; their "
            + "programs get more when they open new ones."
        : $"{CheckText.Count(lost)} sends found no room while this looked, and each send buffer that is full now is as "
            + "large as this allows; a program that waits and sends again loses nothing.";
}
