using System.Text;

namespace Spate.TestHelpers.Hosts;

/// <summary>A directory that looks like the parts of / that are read; removed when disposed.</summary>
internal sealed class FakeHost : IDisposable
{
    // Some have a thousand files, and Linux keeps those of /dev/shm in memory.
    private const string MemoryFolder = "/dev/shm";

    public string RootPath { get; } = Create();

    public FakeHost With(string relativePath, string content) => With(relativePath, Encoding.UTF8.GetBytes(content));

    public FakeHost With(string relativePath, byte[] content)
    {
        string path = Path.Combine(RootPath, relativePath);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, content);
        return this;
    }

    /// <summary>A symbolic link, also to what is not there.</summary>
    public FakeHost WithLink(string relativePath, string target)
    {
        string path = Path.Combine(RootPath, relativePath);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.CreateSymbolicLink(path, target);
        return this;
    }

    public FakeHost WithDirectory(string relativePath)
    {
        Directory.CreateDirectory(Path.Combine(RootPath, relativePath));
        return this;
    }

    public void Dispose() => Directory.Delete(RootPath, recursive: true);

    private static string Create()
    {
        const UnixFileMode ForTheOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        if (OperatingSystem.IsLinux() && Directory.Exists(MemoryFolder))
        {
            string path = Path.Combine(MemoryFolder, $"spate-host-{Guid.NewGuid():N}");
            try
            {
                return Directory.CreateDirectory(path, ForTheOwner).FullName;
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException)
            {
                // A container may keep the folder from its user, or leave no room in it.
            }
        }

        return Directory.CreateTempSubdirectory("spate-host-").FullName;
    }
}
