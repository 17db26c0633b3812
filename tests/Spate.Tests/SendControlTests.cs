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

    [Fact]
    public void Init_OutOfRange_IsRefusedWithTheRange()
    {
        Refused("must be from 1 to 2147483647;", () => new SendControl { InterfaceIndex = 0 });
        Refused("must be from 0 to 255.", () => new SendControl { TrafficClass = 256 });
        Refused("must be from 1 to 255;", () => new SendControl { TimeToLive = 0 });
        Refused("must be from 1 to 9223372036854775807 ns;",
            () => new SendControl { TransmitTimeMonotonicNanoseconds = 0 });

        static void Refused(string expected, Func<object> make) => Assert.Contains(
            expected, Assert.Throws<ArgumentOutOfRangeException>(make).Message, StringComparison.Ordinal);
    }
}
