using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.Measurement;

namespace Spate.Tests.Measurement;

public sealed class ProcFileTests
{
    [Fact]
    public void ReadAll_FileOfManyRecords_GoesBeyondTheFirstPage()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems have no /proc.");
        using SafeFileHandle? file = ProcFile.TryOpen("/proc/self/maps");
        byte[] buffer = new byte[1 << 20];

        string first = Encoding.ASCII.GetString(ProcFile.Read(file, buffer));
        string all = Encoding.ASCII.GetString(ProcFile.ReadAll(file, buffer));

        // The stack is mapped near the end of the addresses.
        Assert.DoesNotContain("[stack]", first, StringComparison.Ordinal);
        Assert.Contains("[stack]", all, StringComparison.Ordinal);
    }

    [Fact]
    public void ReadAll_SmallBuffer_EndsThere()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Other systems have no /proc.");
        using SafeFileHandle? file = ProcFile.TryOpen("/proc/self/maps");

        Assert.Equal(5000, ProcFile.ReadAll(file, new byte[5000]).Length);
        Assert.True(ProcFile.ReadAll(null, new byte[1]).IsEmpty);
    }
}
