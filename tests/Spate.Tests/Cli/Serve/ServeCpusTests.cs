using System.Runtime.InteropServices;
using Spate.Cli.Serve;

namespace Spate.Tests.Cli.Serve;

public sealed class ServeCpusTests
{
    // asm/unistd.h of x64 and arm64.
    private static int SchedSetAffinity => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 203,
        Architecture.Arm64 => 122,
        _ => -1,
    };

    // The runtime, unless compiled as native code, starts no thread there: a whole server cannot be tried.
    [Fact]
    public void Take_SystemBindsNoThread_IsNone()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && SchedSetAffinity >= 0, "Linux on x64 or arm64 is needed");

        Sandbox.Run(SchedSetAffinity, static () =>
        {
            Assert.False(ThreadAffinity.TrySetCurrentThreadCpus(ThreadAffinity.GetCurrentThreadCpus(), out _));
            using var cpus = ServeCpus.Take(new ServeOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(9)],
                ThreadCount = 1,
                PlacesBesidePeer = true,
            });

            Assert.Empty(cpus.Numbers);
        });
    }
}
