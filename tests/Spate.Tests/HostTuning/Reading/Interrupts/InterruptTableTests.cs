using Spate.HostTuning.Reading.Interrupts;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Reading.Interrupts;

public sealed class InterruptTableTests
{
    [Fact]
    public void ReadCounts_RecordedTable_SumsOverTheOnlineCpus()
    {
        using FakeHost host = new FakeHost().With(
            "proc/interrupts",
            "            CPU0       CPU2\n"
                + "  37:         12      34500  PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0\n"
                + "  38:          0          0  PCI-MSIX-0000:00:03.0   2-edge      virtio2-output.0\n"
                + " NMI:          5          6   Non-maskable interrupts\n");

        Assert.Equal(
            new Dictionary<int, long> { [37] = 34512, [38] = 0 }, InterruptTable.ReadCounts(host.RootPath));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("37: 5 6\n")]
    [InlineData("CPU0\nx: 5\n: 6\n")]
    public void ReadCounts_NothingOfUse_IsEmpty(string? text)
    {
        using FakeHost host = new FakeHost();
        if (text is not null) host.With("proc/interrupts", text);

        Assert.Empty(InterruptTable.ReadCounts(host.RootPath));
    }
}
