using Spate.Diagnostics;
using Spate.Sockets;
using Spate.TestHelpers.Diagnostics;

namespace Spate.HostTests.Namespaces;

/// <summary>Where no loopback is up, as in a new namespace, nothing can be probed.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed class NoLoopbackTests
{
    [Theory, InlineData(false), InlineData(true)]
    public void Probe_LoopbackDown_SaysSo(bool hadBeenUp)
    {
        using NetworkNamespace bare = new(loopbackUp: hadBeenUp);
        if (hadBeenUp) bare.Ip("link set lo down");

        Capabilities probed = bare.Enter(ProbeAll);

        UdpCapability mmsg = probed[Capability.Mmsg];
        Assert.False(mmsg.IsAvailable);
        Assert.Contains("the loopback interface is down ('ip link set lo up'", mmsg.Reason);
        Assert.Equal($"Mmsg is not available here: {mmsg.Reason}", probed.FallbackUnder(UdpBackend.Automatic));
        Assert.Equal(UdpBackend.Portable, probed.PreferredUnder(UdpBackend.Automatic));
    }

    [Fact]
    public void Choose_LoopbackDown_FallsBackWithAnEvent()
    {
        using NetworkNamespace bare = new(loopbackUp: false);
        using SpateEvents events = new();
        Capabilities probed = bare.Enter(ProbeAll);
        EventThrottle throttle = new(new FakeTime());

        UdpBackend chosen = BackendSelector.Choose(new(), probed, UdpBackend.Automatic, throttle);
        BackendSelector.Choose(new(), probed, UdpBackend.Automatic, throttle);
        BackendSelector.Choose(
            new() { Backend = UdpBackend.Portable }, probed, UdpBackend.Automatic, new(new FakeTime()));

        Assert.Equal(UdpBackend.Portable, chosen);
        IReadOnlyList<object?> payload = Assert.Single(
            events.Written, one => one.Name is "BackendFellBack").Payload;
        Assert.Equal(["Portable", probed.FallbackUnder(UdpBackend.Automatic), 1L], payload);
    }

    // Here and now: a capability that is asked for later would be probed in the namespace of the test.
    private static Capabilities ProbeAll()
    {
        Capabilities capabilities = BackendSelector.MakeProbes();
        Assert.NotEmpty(capabilities.All);
        return capabilities;
    }
}
