using System.Diagnostics;
using Spate.Cli;
using Spate.Cli.Bench.Drain;
using Spate.Measurement.Reports;

namespace Spate.Tests.Measurement.Reports;

public sealed class ReportFileTests : IDisposable
{
    private const string Json = """{"schema":"spate/1","kind":"drain"}""";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void TryRead_FileAndLinkToIt_AreRead()
    {
        string file = PathOf("file");
        File.WriteAllText(file, Json);
        File.CreateSymbolicLink(PathOf("link"), file);

        foreach (string path in (string[])[file, PathOf("link")])
        {
            Assert.True(ReportFile.TryRead(path, ReportKinds.Reader, out Report? report, out string? error), error);
            Assert.IsType<DrainReport>(report);
        }
    }

    [Fact]
    public void TryRead_WhatHoldsNoReport_IsRefusedInOneLine()
    {
        File.WriteAllText(PathOf("empty"), "");
        File.WriteAllBytes(PathOf("binary"), [.. Enumerable.Range(0, 256).Select(static i => (byte)i)]);
        File.WriteAllText(PathOf("cut"), Json[..^1]);

        AssertRefused("", "it has no name");
        AssertRefused(_folder.FullName, "it is a directory");
        AssertRefused(PathOf("empty"), "it is empty, or it is a pipe or a device");
        AssertRefused(PathOf("binary"), "line 1 is not JSON from byte 1 on");
        AssertRefused(PathOf("cut"), "line 1 is not JSON from byte");
    }

    [Theory]
    [InlineData(0, "line 1 is not JSON")]
    [InlineData(1, "it has more than 256 MiB")]
    public void TryRead_SparseFile_IsReadUpToTheLimit(int moreBytes, string expected)
    {
        using (FileStream file = File.Create(PathOf("sparse"))) file.SetLength(ReportFile.MaxBytes + moreBytes);

        AssertRefused(PathOf("sparse"), expected);
    }

    [Fact]
    public void TryRead_NamedPipe_IsRefusedWithoutWaitingForAWriter()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "mkfifo is needed");
        using (var mkfifo = Process.Start("mkfifo", [PathOf("pipe")])) mkfifo.WaitForExit();
        File.CreateSymbolicLink(PathOf("link"), PathOf("pipe"));

        AssertRefused(PathOf("pipe"), "it is empty, or it is a pipe or a device");
        AssertRefused(PathOf("link"), "it is empty, or it is a pipe or a device");
    }

    [Fact]
    public void TryRead_NoSuchFile_Throws()
    {
        File.CreateSymbolicLink(PathOf("dangling"), PathOf("missing"));

        Assert.Throws<FileNotFoundException>(
            () => ReportFile.TryRead(PathOf("missing"), ReportKinds.Reader, out _, out _));
        Assert.Throws<FileNotFoundException>(
            () => ReportFile.TryRead(PathOf("dangling"), ReportKinds.Reader, out _, out _));
    }

    private static void AssertRefused(string path, string expected)
    {
        Assert.False(ReportFile.TryRead(path, ReportKinds.Reader, out Report? report, out string? error));
        Assert.Null(report);
        Assert.StartsWith(expected, error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error);
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);
}
