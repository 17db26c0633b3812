using System.Text;
using Spate.HostTuning.Settings;

namespace Spate.Cli.Tune.Applying;

/// <summary>The file of sysctl.d(5) that makes settings of the kernel outlast its next start.</summary>
internal sealed class SysctlFile(string rootPath)
{
    private const string RelativePath = "etc/sysctl.d/90-spate.conf";
    private const string NewSuffix = ".new";
    private const string Heading = "# Written by spate tune --persist. spate tune --undo removes this file.\n";

    private readonly string _path = Path.Combine(rootPath, RelativePath);

    /// <summary>The content of the file for changes; settings that are no sysctls are left out.</summary>
    public static string TextOf(IEnumerable<JournalChange> changes)
    {
        var text = new StringBuilder(Heading);
        foreach (JournalChange change in changes) text.Append(LineOf(change));

        return text.ToString();
    }

    public static bool Has(string? text, JournalChange change) =>
        LineOf(change) is { } line && text?.Contains("\n" + line, StringComparison.Ordinal) == true;

    /// <param name="ownText">What was written; null for nothing.</param>
    public void RequireOwn(string? ownText)
    {
        if (File.Exists(_path) && !Holds(ownText))
        {
            throw new IOException($"/{RelativePath} has been written by somebody else: move it away, or leave out "
                + "--persist");
        }
    }

    public SettingOutcome Write(string text)
    {
        try
        {
            Directory.CreateDirectory(Path.GetDirectoryName(_path)!);

            // Half a file would be taken for one that somebody has changed. Files of other endings are not read.
            File.WriteAllText(_path + NewSuffix, text);
            File.Move(_path + NewSuffix, _path, overwrite: true);
            return Outcome(SettingState.Done, null);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return Outcome(SettingState.Failed, fault.Message);
        }
    }

    public SettingOutcome Remove(string ownText)
    {
        try
        {
            if (!File.Exists(_path)) return Outcome(SettingState.Already, null);
            if (!Holds(ownText)) return Outcome(SettingState.Foreign, "somebody has changed it since");

            File.Delete(_path);
            return Outcome(SettingState.Done, null);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return Outcome(SettingState.Failed, fault.Message);
        }
    }

    private static string? LineOf(JournalChange change) =>
        HostSettings.Parse(change.Setting) is SysctlSetting setting ? $"{setting.Key} = {change.To}\n" : null;

    private bool Holds(string? text) =>
        text is not null && string.Equals(File.ReadAllText(_path), text, StringComparison.Ordinal);

    private static SettingOutcome Outcome(SettingState state, string? note) =>
        new("/" + RelativePath, "", "", state, note);
}
