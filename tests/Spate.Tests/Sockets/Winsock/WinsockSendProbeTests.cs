using Spate.Sockets.Winsock;
using Spate.StandIn;

namespace Spate.Tests.Sockets.Winsock;

/// <summary>The probes of Winsock's sends on Wine alone, which accepts a segment size and ignores it.</summary>
public sealed class WinsockSendProbeTests
{
    public WinsockSendProbeTests() =>
        Assert.SkipUnless(Wine.IsHere && !WinsockModel.IsNamed, "about Wine without the stand-in");

    [Fact]
    public void SegmentedSend_MessageIgnored_IsNotAvailable() => Assert.StartsWith(
        "UDP_SEND_MSG_SIZE was ignored", WinsockProbe.SegmentedSend(out _), StringComparison.Ordinal);

    [Fact]
    public void CoalescedReceive_OptionRefused_IsNotAvailable() => Assert.StartsWith(
        "UDP_RECV_MAX_COALESCED_SIZE was refused", WinsockProbe.CoalescedReceive(out _), StringComparison.Ordinal);
}
