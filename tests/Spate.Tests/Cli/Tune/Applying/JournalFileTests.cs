using System.Diagnostics;
using Spate.Cli.Tune.Applying;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.Cli.Tune.Applying;

public sealed class JournalFileTests : IDisposable
{
    private static readonly TuningJournal Journal = new()
    {
        Schema = TuningJournal.CurrentSchema,
        BootId = "first",
        Changes = [],
    };

    private readonly FakeHost _host = new FakeHost().With("victim", "precious");

    private string Folder => Path.Combine(_host.RootPath, "journal");

    private string JournalPath => Path.Combine(Folder, "tune.json");

    public void Dispose() => _host.Dispose();

    [Fact]
    public void Write_LinkWithTheNameOfTheNewFile_LeavesItsTargetAlone()
    {
        if (OperatingSystem.IsWindows()) return;

        Directory.CreateDirectory(Folder);
        string victim = Path.Combine(_host.RootPath, "victim");
        File.CreateSymbolicLink(JournalPath + ".new", victim);

        new JournalFile(JournalPath).Write(Journal);

        Assert.Equal("precious", File.ReadAllText(victim));
        Assert.Equal("first", new JournalFile(JournalPath).Read()?.BootId);
        Assert.Equal(JournalPath, Assert.Single(Directory.GetFiles(Folder)));
    }

    [Fact]
    public void Write_FolderInThePlaceOfTheFile_LeavesNothingBehind()
    {
        Directory.CreateDirectory(JournalPath);

        Assert.ThrowsAny<SystemException>(() => new JournalFile(JournalPath).Write(Journal));

        Assert.Empty(Directory.GetFiles(Folder));
        Assert.Throws<IOException>(() => new JournalFile(JournalPath).Read());
    }

    [Fact]
    public void Read_Pipe_IsNoJournalAndDoesNotWait()
    {
        if (!OperatingSystem.IsLinux()) return;

        Directory.CreateDirectory(Folder);
        using (var mkfifo = Process.Start("mkfifo", [JournalPath])) mkfifo.WaitForExit();

        Assert.Throws<IOException>(() => new JournalFile(JournalPath).Read());
    }
}
