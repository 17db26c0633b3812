using System.Text.Json;
using Spate.HostTuning.Interop.Linux;

namespace Spate.Cli.Tune.Applying;

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
        $"{path} is no journal of spate tune: look into it, set what it names by hand, then remove it");
}
