using System.IO.Compression;
using System.Security.Cryptography;

namespace Spate.Build.Packages;

/// <summary>What lies in a package: the SHA-256 of each file by its path.</summary>
/// <remarks>Not compared: the times in the archive and its compression, which no user of a file sees.</remarks>
internal static class PackageContents
{
    public static IReadOnlyDictionary<string, string> Read(string path)
    {
        using ZipArchive archive = ZipFile.OpenRead(path);
        var contents = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (ZipArchiveEntry entry in archive.Entries)
        {
            using Stream stream = entry.Open();
            contents.Add(entry.FullName, Convert.ToHexStringLower(SHA256.HashData(stream)));
        }

        return contents;
    }
}
