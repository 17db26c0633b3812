using Spate.Sockets;

namespace Spate.HostTests.Kernels;

/// <summary>
/// Fast paths that depend on the kernel's version are available from that version on, and unavailable before, with the
/// reason. <c>./test.sh --kernels</c> runs this on several kernels.
/// </summary>
public sealed class KernelVersionTests
{
    private static readonly Version Kernel = Environment.OSVersion.Version;

    [Fact]
    public void CoalescedReceive_OnThisKernel_IsAvailableFromLinux512On()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "it compares versions of Linux");
        Assert.SkipUnless(Switches.CoalescedReceive, "SPATE_GRO switches coalesced receive off");

        UdpCapability found = UdpCapabilities.Current.CoalescedReceive;

        Assert.Equal(Kernel >= new Version(5, 12), found.IsAvailable);
        if (found.IsAvailable) return;
        Assert.Contains($"kernel {Kernel} is older than 5.12", found.Reason, StringComparison.Ordinal);
    }

    // The made-up versions between, which corrupt GSO messages, are in PolicyTableTests.
    [Fact]
    public void SegmentedSend_OnThisKernel_IsAvailable()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "it compares versions of Linux");
        Assert.SkipUnless(Switches.SegmentedSend, "SPATE_GSO switches segmented send off");

        bool isSound = Kernel < new Version(7, 0) || Kernel >= new Version(7, 1, 5);
        Assert.Equal(isSound, UdpCapabilities.Current.SegmentedSend.IsAvailable);
    }

    [Fact]
    public void Uring_OnThisKernel_IsAvailableFromLinux60On()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "it compares versions of Linux");
        UdpCapability found = UdpCapabilities.Current.Uring;
        Assert.SkipWhen(
            found.Reason.Contains("EPERM", StringComparison.Ordinal)
                || found.Reason.Contains("ENOSYS", StringComparison.Ordinal),
            $"this host refuses io_uring: {found.Reason}");

        Assert.Equal(Kernel >= new Version(6, 0), found.IsAvailable);
        if (found.IsAvailable) return;
        Assert.Contains("multishot receive needs Linux 6.0", found.Reason, StringComparison.Ordinal);
    }

    // Deferred work (IORING_SETUP_DEFER_TASKRUN) is of Linux 6.1.
    [Fact]
    public void Uring_OnThisKernel_DefersItsWorkFromLinux61On()
    {
        UdpCapability found = UdpCapabilities.Current.Uring;
        Assert.SkipUnless(found.IsAvailable, found.Reason);

        Assert.Equal(
            Kernel >= new Version(6, 1) ? "received through a ring" : "received through a ring without deferred work",
            found.Reason);
    }
}
