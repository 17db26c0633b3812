using Spate.HostTuning.Reading.Cards;

namespace Spate.Tests.HostTuning.Reading.Cards;

public sealed class CardSettingsTests
{
    [Fact]
    public void Read_Loopback_HasFeaturesOfTheKernel()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "ethtool(8) exists on Linux only");
        using var replies = new CardReplies("/");

        CardSettings settings = CardSettings.Read(replies, "lo");

        CardFeature feature = settings.Features["tx-udp-segmentation"];
        Assert.True(feature.IsOn);
        Assert.True(settings.Features["loopback"].IsFixed);
        Assert.Null(settings.Rings);
        Assert.Empty(settings.Statistics);
    }

    [Theory]
    [InlineData("")]
    [InlineData("nosuch0")]
    [InlineData("a-name-longer-than-any-interface")]
    [InlineData("../lo")]
    public void Read_NoSuchInterface_IsUnknown(string name)
    {
        using var replies = new CardReplies("/");

        CardSettings settings = CardSettings.Read(replies, name);

        Assert.Null(settings.Channels);
        Assert.Empty(settings.Features);
    }
}
