using System.Globalization;

namespace Spate.HostTuning.Settings;

/// <summary>A setting that is to have another value.</summary>
internal sealed record HostChange(HostSetting Setting, string From, string To)
{
    /// <summary>The command that makes the change.</summary>
    public string Command => Setting.CommandFor(To);

    /// <summary>The command that takes it back.</summary>
    public string Undo => Setting.CommandFor(From);

    /// <summary>A change of a number.</summary>
    public static HostChange Of(HostSetting setting, long from, long to) => new(
        setting, from.ToString(CultureInfo.InvariantCulture), to.ToString(CultureInfo.InvariantCulture));
}
