using Spate.HostTuning.Checks;
using Spate.TestHelpers.Hosts;

namespace Spate.Tests.HostTuning.Checks;

/// <summary>The checks of the card's place in the machine.</summary>
public sealed class CardPlaceCheckTests
{
    private const string Function = "sys/devices/pci0000:80/0000:81:00.0";

    [Theory]
    [InlineData("16.0 GT/s PCIe", 16, 100_000, CheckStatus.Ok, false)]
    [InlineData("8.0 GT/s PCIe", 8, 25_000, CheckStatus.Ok, false)]
    [InlineData("8.0 GT/s PCIe", 8, 100_000, CheckStatus.Advice, true)]
    [InlineData("8.0 GT/s PCIe", 8, 0, CheckStatus.Advice, false)]
    [InlineData("8.0 GT/s PCIe", 8, 50_000, CheckStatus.Ok, false)] // 128 of 130 bits are data
    [InlineData("5.0 GT/s PCIe", 8, 30_000, CheckStatus.Advice, true)] // 8 of 10
    [InlineData("Unknown", 8, 100_000, CheckStatus.Unknown, false)]
    [InlineData("16.0 GT/s PCIe", 255, 100_000, CheckStatus.Unknown, false)]
    internal void PcieLink_SlowerThanTheNetwork_IsBelowTheNeed(
        string speed, int width, int megabits, CheckStatus expected, bool isBelowNeed)
    {
        using FakeHost host = Server()
            .With(Function + "/net/eth0/speed", $"{megabits}\n")
            .With(Function + "/current_link_speed", speed + "\n")
            .With(Function + "/current_link_width", $"{width}\n")
            .With(Function + "/max_link_speed", "16.0 GT/s PCIe\n")
            .With(Function + "/max_link_width", "16\n");

        CheckFinding finding = Assert.Single(RecordedReadings.Of(host).Examine("pcie-link"));

        Assert.Equal((expected, isBelowNeed, "eth0"), (finding.Status, finding.IsBelowNeed, finding.Interface));
    }

    [Theory]
    [InlineData("identity", HostProfile.FortyGigabit, CheckStatus.Ok)]
    [InlineData("DMA-FQ", HostProfile.FortyGigabit, CheckStatus.Advice)]
    [InlineData("DMA", HostProfile.HundredGigabit, CheckStatus.Advice)]
    [InlineData("DMA-FQ", HostProfile.TenGigabit, CheckStatus.Ok)]
    [InlineData("\u001b[2J", HostProfile.TenGigabit, CheckStatus.Unknown)]
    internal void Iommu_OfTheCard_CostsFromFortyGigabitOn(string type, HostProfile profile, CheckStatus expected)
    {
        using FakeHost host = Server()
            .WithDirectory("sys/class/iommu/dmar0")
            .With(Function + "/iommu_group/type", type + "\n");

        Assert.Equal(
            expected, Assert.Single(RecordedReadings.Of(host, profile).Examine("iommu")).Status);
    }

    [Fact]
    public void Iommu_OfTheFunctionAboveTheDevice_IsTheCards()
    {
        using FakeHost host = Server()
            .WithDirectory("sys/class/iommu/dmar0")
            .With("sys/devices/pci0000:80/iommu_group/type", "DMA\n");

        CheckFinding finding = Assert.Single(
            RecordedReadings.Of(host, HostProfile.FortyGigabit).Examine("iommu"));

        Assert.Equal(CheckStatus.Advice, finding.Status);
    }

    [Fact]
    public void Iommu_NoUnit_IsOkAndWithoutSysfsUnknown()
    {
        using FakeHost host = Server().WithDirectory("sys/class/iommu");
        using var empty = new FakeHost();

        Assert.Equal(CheckStatus.Ok, Assert.Single(RecordedReadings.Of(host).Examine("iommu")).Status);
        Assert.Equal(CheckStatus.Unknown, Assert.Single(RecordedReadings.Of(empty).Examine("iommu")).Status);
    }

    private static FakeHost Server() => FakeMachines.TwoSocketMlx5().With(
        "proc/net/route", "Iface\n" + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
}
