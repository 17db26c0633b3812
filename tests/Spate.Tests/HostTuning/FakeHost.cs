namespace Spate.Tests.HostTuning;

/// <summary>A directory that looks like the parts of / that are read; removed when disposed.</summary>
internal sealed class FakeHost : IDisposable
{
    public string RootPath { get; } = Directory.CreateTempSubdirectory("spate-host-").FullName;

    public FakeHost With(string relativePath, string content)
    {
        string path = Path.Combine(RootPath, relativePath);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, content);
        return this;
    }

    public void Dispose() => Directory.Delete(RootPath, recursive: true);
}
