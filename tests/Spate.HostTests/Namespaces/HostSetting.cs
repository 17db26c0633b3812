using System.Diagnostics;
using System.Globalization;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// A setting of the whole host that no namespace has of its own, changed while a test runs alone. A process outside of
/// the test's session puts the old value back when the pipe to it closes, so also where the test is killed.
/// </summary>
internal sealed class HostSetting : IDisposable
{
    private static readonly string LockPath = Path.Combine(Path.GetTempPath(), "spate-tests-host-setting");

    private readonly string _path;
    private readonly string _before;
    private readonly FileStream _lock;
    private readonly Process _guard;

    /// <param name="path">The file under /proc/sys.</param>
    public HostSetting(string path)
    {
        Assert.SkipUnless(File.Exists(path), $"this kernel has no {path}");
        Programs.Require("setsid", "util-linux");
        _path = path;
        _lock = TakeLock();
        _before = File.ReadAllText(path).Trim();
        Exception? refused = Record.Exception(() => File.WriteAllText(path, _before));
        Assert.SkipUnless(refused is null, $"{path} cannot be set here: {refused?.Message}");
        var start = new ProcessStartInfo("setsid") { RedirectStandardInput = true, UseShellExecute = false };
        foreach (string word in (string[])["sh", "-c", "cat >/dev/null; echo \"$1\" >\"$2\"", "sh", _before, path])
        {
            start.ArgumentList.Add(word);
        }

        _guard = Process.Start(start)!;
    }

    public void Set(long value)
    {
        string text = value.ToString(CultureInfo.InvariantCulture);
        File.WriteAllText(_path, text);
        Assert.Equal(text, File.ReadAllText(_path).Trim());
    }

    public void Dispose()
    {
        _guard.StandardInput.Close();
        _guard.WaitForExit();
        _guard.Dispose();
        _lock.Dispose();
        Assert.Equal(_before, File.ReadAllText(_path).Trim());
    }

    // Two runs of the tests on one host must not take each other's value for the host's.
    private static FileStream TakeLock()
    {
        try
        {
            return new FileStream(LockPath, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException)
        {
            Assert.Skip("another run of these tests has changed a setting of this host");
            throw;
        }
    }
}
