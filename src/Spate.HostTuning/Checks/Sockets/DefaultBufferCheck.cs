using Spate.HostTuning.Reading;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The receive buffer of programs that do not ask for one.</summary>
internal sealed class DefaultBufferCheck : HostCheck
{
    // What Spate asks for where nothing else is said. The default is each socket's, so it stays far below the limit.
    private const long MaxBytes = 4 * 1024 * 1024;

    private const string Reason = "Programs that ask for no buffer get this one (socket(7), rmem_default).";

    public override string Id => "rmem-default";

    public override string Subject => "default receive buffer";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        var setting = new SysctlSetting("net.core.rmem_default");
        if (host.Files.ReadNumber(setting.Path) is not { } bytes)
        {
            yield return Unknown($"{setting.Name} is not shown here: it belongs to the host, not to the container.");
            yield break;
        }

        string found = CheckText.Bytes(bytes);
        long lost = ReceiveBuffers.DropsAtDefault(
            host, bytes, BufferLimits.Read(host.Request.RootPath).ReceiveMaximumBytes);
        if (lost == 0 || bytes >= MaxBytes)
        {
            yield return Ok(found, Reason);
            yield break;
        }

        yield return Problem(
            found,
            $"a program that asks for more, or {CheckText.Bytes(MaxBytes)} for all that do not",
            $"Sockets with the default buffer dropped {CheckText.Count(lost)} while this looked. {Reason}",
            lost).With(HostChange.Of(setting, bytes, MaxBytes));
    }
}
