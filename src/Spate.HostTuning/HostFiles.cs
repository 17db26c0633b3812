using System.Globalization;

namespace Spate.HostTuning;

/// <summary>Small text files below a root that a test can replace. What fails to be read is null.</summary>
internal readonly struct HostFiles(string rootPath)
{
    // The largest file read here is /proc/cpuinfo, some 1.5 kB a CPU; anything beyond this is not such a file.
    private const int MaximumCharacters = 4 * 1024 * 1024;

    public bool Exists(string relativePath) => File.Exists(Path.Combine(rootPath, relativePath));

    public string? ReadLine(string relativePath)
    {
        foreach (string line in ReadLines(relativePath))
        {
            string trimmed = line.Trim();
            return trimmed.Length == 0 ? null : trimmed;
        }

        return null;
    }

    public long? ReadNumber(string relativePath) =>
        long.TryParse(ReadLine(relativePath), NumberStyles.Integer, CultureInfo.InvariantCulture, out long value)
            ? value
            : null;

    public IEnumerable<string> ReadLines(string relativePath)
    {
        using StreamReader? reader = Open(relativePath);
        int characters = 0;
        while (reader is not null && characters < MaximumCharacters)
        {
            string? line = ReadLineOrNull(reader);
            if (line is null)
            {
                yield break;
            }

            characters += line.Length + 1;
            yield return line;
        }
    }

    private StreamReader? Open(string relativePath)
    {
        try
        {
            return new StreamReader(Path.Combine(rootPath, relativePath));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    // Some files of /proc and /sys open and then refuse the read (EINVAL, EPERM).
    private static string? ReadLineOrNull(StreamReader reader)
    {
        try
        {
            return reader.ReadLine();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
