using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.Time;

namespace Spate.Tests.Measurement.PathTest;

public sealed class PathTestTrafficTests
{
    // No CPU has this number, and no other test claims it, even one of another program.
    private static readonly int NoCpu = -1 - Environment.ProcessId;

    [Fact]
    public void Dispose_NamedCpu_IsClaimedUntilThenThoughARunIsOver()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "CPUs are claimed on Linux only");
        UdpSocket socket = UdpSocket.Connect(UdpEndPoint.Loopback(9), UdpEndPoint.Loopback(0), new UdpSocketOptions());
        using (var traffic = new PathTestTraffic(
            new TestParameters { Direction = TestDirection.Both, SizeBytes = 64 },
            isClient: true,
            [new TestFlow(socket, ForwardStream: 1, ReverseStream: 2)],
            new EndOptions { Cpus = [NoCpu], PlacesBesidePeer = true },
            TimeProvider.System))
        {
            // It ends at once, since no thread can be pinned to that CPU.
            traffic.StartReceiving(onInterval: null);
            Wait.Until(() => traffic.HasReceived);

            Assert.Null(CpuClaim.TryTake(NoCpu));
        }

        using CpuClaim? next = CpuClaim.TryTake(NoCpu);
        Assert.NotNull(next);
    }
}
