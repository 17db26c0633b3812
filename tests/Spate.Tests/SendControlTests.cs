namespace Spate.Tests;

/// <summary>The equality by which a batch shares controls.</summary>
public sealed class SendControlTests
{
    public static TheoryData<SendControl> OneMemberSet =>
    [
        new SendControl { LocalAddress = UdpAddress.Loopback },
        new SendControl { InterfaceIndex = 1 },
        new SendControl { TrafficClass = 0 },
        new SendControl { TimeToLive = 1 },
        new SendControl { TransmitTimeMonotonicNanoseconds = 1 },
    ];

    [Theory, MemberData(nameof(OneMemberSet))]
    public void Equals_OneMemberDiffers_IsFalse(SendControl control)
    {
        SendControl same = control;
        SendControl other = default;

        Assert.True(control.Equals(in same));
        Assert.False(control.Equals(in other));
    }
}
