using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading;

/// <summary>Name and version from os-release(5), or from the runtime where that file is missing.</summary>
internal static class OsRelease
{
    public static (string Name, string Version) Read(HostFiles files)
    {
        // os-release(5): /etc first, /usr/lib as the fallback.
        (string Name, string Version)? found =
            Parse(files.ReadLines("etc/os-release")) ?? Parse(files.ReadLines("usr/lib/os-release"));
        return found ?? (RuntimeInformation.OSDescription, "");
    }

    internal static (string Name, string Version)? Parse(IEnumerable<string> lines)
    {
        string? name = null;
        string? version = null;
        string? versionId = null;
        foreach (string line in lines)
        {
            int equals = line.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0) continue;

            string value = Unquote(line[(equals + 1)..].Trim());
            switch (line[..equals].Trim())
            {
                case "NAME": name = value; break;
                case "VERSION": version = value; break;
                case "VERSION_ID": versionId = value; break;
                default: break;
            }
        }

        return name is null ? null : (name, version ?? versionId ?? "");
    }

    // Values may be quoted as in a shell; a backslash escapes ", $, ` and itself.
    private static string Unquote(string value)
    {
        if (value.Length < 2 || value[0] is not ('"' or '\'') || value[^1] != value[0]) return value;

        string inner = value[1..^1];
        if (value[0] == '\'' || !inner.Contains('\\', StringComparison.Ordinal)) return inner;

        var text = new System.Text.StringBuilder(inner.Length);
        for (int i = 0; i < inner.Length; i++)
        {
            if (inner[i] == '\\' && i + 1 < inner.Length) i++;

            text.Append(inner[i]);
        }

        return text.ToString();
    }
}
