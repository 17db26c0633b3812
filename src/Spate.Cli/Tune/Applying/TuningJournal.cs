using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Settings;

namespace Spate.Cli.Tune.Applying;

/// <summary>
/// What was changed on this host, with the old values. It is on disk before the first change, so that whatever ends the
/// program in between can be taken back.
/// </summary>
internal sealed record TuningJournal
{
    public const string CurrentSchema = "spate-tune/1";

    public required string Schema { get; init; }

    /// <summary>The start of the kernel that the changes belong to: with the next one they are gone.</summary>
    public required string BootId { get; init; }

    public required IReadOnlyList<JournalChange> Changes { get; init; }

    /// <summary>The content of the file that makes the changes outlast the next start; null for none.</summary>
    public string? PersistedText { get; init; }
}

/// <summary>One change of a journal.</summary>
internal sealed record JournalChange(string Setting, string From, string To);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, WriteIndented = true)]
[JsonSerializable(typeof(TuningJournal))]
internal sealed partial class JournalJsonContext : JsonSerializerContext;

/// <summary>The file of a journal, replaced as a whole: a reader finds the old one or the new one.</summary>
internal sealed class JournalFile(string path)
{
    private const int MaxBytes = 1024 * 1024;
    private const string NewSuffix = ".new";

    public string Path => path;

    public TuningJournal? Read()
    {
        if (Directory.Exists(path)) throw Wrong();
        if (!File.Exists(path)) return null;

        // Opened for writing too, because opening a pipe for reading alone waits until somebody writes (fifo(7)).
        using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite);
        if (!file.CanSeek || file.Length > MaxBytes) throw Wrong();
        try
        {
            TuningJournal? journal = JsonSerializer.Deserialize(file, JournalJsonContext.Default.TuningJournal);
            return journal is { Schema: TuningJournal.CurrentSchema } && !journal.Changes.Any(static one => one is null)
                ? journal
                : throw Wrong();
        }
        catch (JsonException)
        {
            throw Wrong();
        }
    }

    /// <summary>Writes the journal to the disk, and returns when it is there.</summary>
    public void Write(TuningJournal journal)
    {
        string folder = System.IO.Path.GetDirectoryName(System.IO.Path.GetFullPath(path))!;
        Directory.CreateDirectory(folder);
        string next = path + NewSuffix;

        // Where others may write to the folder, one of them may have put a link to another file there.
        File.Delete(next);
        try
        {
            using (var file = new FileStream(next, FileMode.CreateNew, FileAccess.Write, FileShare.None))
            {
                JsonSerializer.Serialize(file, journal, JournalJsonContext.Default.TuningJournal);
                file.Flush(flushToDisk: true);
            }

            File.Move(next, path, overwrite: true);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            File.Delete(next);
            throw;
        }

        // The new name is on the disk when its folder is (fsync(2), "NOTES").
        if (OperatingSystem.IsLinux()) Unistd.FlushFolder(folder);
    }

    public void Delete()
    {
        // A program that was ended while it wrote has left the new one, perhaps alone.
        foreach (string one in (string[])[path + NewSuffix, path])
        {
            if (File.Exists(one)) File.Delete(one);
        }
    }

    private IOException Wrong() => new(
        $"{path} is not a journal of spate tune: restore its values by hand, then remove it");
}

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
            throw new IOException($"/{RelativePath} was written by somebody else: move it away, or leave out "
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
