using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.Tests.HostTuning.Reading.Files;

public sealed class HostFileTests
{
    [Fact]
    public void ReadAll_FileOfManyRecords_GoesBeyondTheFirstPage()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems have no /proc.");
        using HostFile file = new HostFiles("/").Open("proc/self/maps");
        byte[] buffer = new byte[1 << 20];

        string first = Encoding.ASCII.GetString(file.Read(buffer));
        string all = Encoding.ASCII.GetString(file.ReadAll(buffer));

        // The stack is mapped near the end of the addresses.
        Assert.DoesNotContain("[stack]", first, StringComparison.Ordinal);
        Assert.Contains("[stack]", all, StringComparison.Ordinal);
    }

    [Fact]
    public void ReadAll_SmallBuffer_EndsThere()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems have no /proc.");
        using HostFile file = new HostFiles("/").Open("proc/self/maps");

        Assert.Equal(5000, file.ReadAll(new byte[5000]).Length);
    }

    [Fact]
    public void Open_NoSuchFile_IsMissingAndReadsEmpty()
    {
        using HostFile file = new HostFiles("/").Open("proc/no-such-file");

        Assert.True(file.IsMissing);
        Assert.True(file.Read(new byte[8]).IsEmpty);
        Assert.True(file.ReadAll(new byte[8]).IsEmpty);
    }

    [Theory]
    [InlineData("Name:\tx\nVmHWM:\t   12345 kB\nVmRSS:\t  99 kB\n", 12345L)]
    [InlineData("VmHWM:\t7", 7L)]
    [InlineData("XVmHWM:\t7\n", null)]
    [InlineData("VmHWM:\tmany\n", null)]
    [InlineData("", null)]
    public void NumberAfter_LinesOfStatus_FindsTheKey(string text, long? expected) =>
        Assert.Equal(expected, FileText.NumberAfter(Encoding.ASCII.GetBytes(text), "VmHWM:"u8));

    [Theory]
    [InlineData("123 45 6\n", 1, 45L)]
    [InlineData("123 45 6\n", 2, 6L)]
    [InlineData("123\n", 1, null)]
    [InlineData("", 0, null)]
    public void NumberAt_LineOfNumbers_FindsTheField(string text, int index, long? expected) =>
        Assert.Equal(expected, FileText.NumberAt(Encoding.ASCII.GetBytes(text), index));
}
