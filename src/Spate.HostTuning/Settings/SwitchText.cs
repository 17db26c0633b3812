namespace Spate.HostTuning.Settings;

/// <summary>A switch as ethtool(8) writes it.</summary>
internal static class SwitchText
{
    public static string Of(bool isOn) => isOn ? "on" : "off";

    public static bool? Parse(string text) => text switch { "on" => true, "off" => false, _ => null };
}
