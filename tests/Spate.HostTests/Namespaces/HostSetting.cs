using System.Diagnostics;
using System.Globalization;
using Spate.TestHelpers.Hosts;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// A setting of the whole host that no namespace has of its own, changed while a test runs alone. A
/// <see cref="SettingGuard"/> puts the old value back.
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
        string[] guard = SettingGuard.Words(_before, path);
        _guard = Process.Start(
            new ProcessStartInfo(guard[0], guard[1..]) { RedirectStandardInput = true, UseShellExecute = false })!;
        _guard.WaitForExit();
        Assert.Equal(0, _guard.ExitCode);
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
        _guard.Dispose();
        try
        {
            Wait.Until(() => _before.Equals(File.ReadAllText(_path).Trim(), StringComparison.Ordinal));
        }
        finally
        {
            _lock.Dispose();
        }
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
