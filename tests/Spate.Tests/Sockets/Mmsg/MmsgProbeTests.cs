using System.Runtime.InteropServices;
using Spate.Sockets;

namespace Spate.Tests.Sockets.Mmsg;

public sealed class MmsgProbeTests
{
    // asm/unistd_64.h of x64, asm-generic/unistd.h of the others.
    private static int ReceiveManyNumber =>
        RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 299 : 243;

    [Fact]
    public void RoundTrip_RecvmmsgIsRefused_NamesTheCallAndNoFirewall()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "seccomp is Linux's");
        UdpCapability? mmsg = null;
        Sandbox.Run(ReceiveManyNumber, () => mmsg = BackendSelector.MakeProbes()[Capability.Mmsg]);

        Assert.False(mmsg!.IsAvailable);
        Assert.EndsWith(
            ": recvmmsg fails, as under a seccomp filter that does not allow it", mmsg.Reason,
            StringComparison.Ordinal);
    }
}
