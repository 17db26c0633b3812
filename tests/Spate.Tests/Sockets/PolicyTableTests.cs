using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>The small tables, line by line.</summary>
public sealed class PolicyTableTests
{
    [Theory]
    [InlineData(null, UdpBackend.Automatic)]
    [InlineData("", UdpBackend.Automatic)]
    [InlineData("portable", UdpBackend.Portable)]
    [InlineData(" Portable ", UdpBackend.Portable)]
    [InlineData("MMSG", UdpBackend.Mmsg)]
    [InlineData("mmsg\n", UdpBackend.Mmsg)]
    [InlineData("automatic", UdpBackend.Automatic)]
    [InlineData("uring", UdpBackend.Uring)]
    [InlineData("rio", UdpBackend.Rio)]
    [InlineData("Winsock", UdpBackend.Winsock)]
    [InlineData("iocp", null)]
    [InlineData("1", null)]
    public void ParseBackend_Value_MeansBackend(string? value, UdpBackend? expected) =>
        Assert.Equal(expected, Switches.ParseBackend(value));

    [Theory]
    [InlineData(null, 2, 1)]
    [InlineData(null, 8, 1)]
    [InlineData(null, 16, 2)]
    [InlineData("", 23, 2)]
    [InlineData(null, 4096, 64)]
    [InlineData("1", 64, 1)]
    [InlineData(" 3 ", 2, 3)]
    [InlineData("64", 2, 64)]
    [InlineData("0", 16, 2)]
    [InlineData("-1", 16, 2)]
    [InlineData("65", 16, 2)]
    [InlineData("2.5", 16, 2)]
    [InlineData("99999999999", 16, 2)]
    [InlineData("many", 16, 2)]
    public void ParseEventThreads_Value_MeansCount(string? value, int cpuCount, int expected) =>
        Assert.Equal(expected, Switches.ParseEventThreads(value, cpuCount));

    [Fact]
    public void DescribeFault_WildValue_IsShortPlainAndNamesWhatIsExpected()
    {
        string fault = Switches.DescribeFault("mmgs\u001b[31m\n" + new string('x', 1000));

        Assert.StartsWith(
            "SPATE_BACKEND is \"mmgs??31m?xxxxxxxxxx\", expected portable, mmsg, uring, winsock, rio or automatic",
            fault);
    }

    [Fact]
    public void Choose_SwitchMisspelt_RefusesAutomaticOnly()
    {
        Capabilities capabilities = Capabilities(mmsg: true);

        InvalidOperationException fault = Assert.Throws<InvalidOperationException>(
            () => BackendSelector.Choose(new(), capabilities, null));
        Assert.StartsWith("SPATE_BACKEND is \"", fault.Message, StringComparison.Ordinal);
        Assert.Equal(
            UdpBackend.Mmsg, BackendSelector.Choose(new() { Backend = UdpBackend.Mmsg }, capabilities, null));
    }

    [Theory]
    [InlineData(true, UdpBackend.Automatic, UdpBackend.Mmsg)]
    [InlineData(true, UdpBackend.Portable, UdpBackend.Portable)]
    [InlineData(true, UdpBackend.Mmsg, UdpBackend.Mmsg)]
    [InlineData(true, null, UdpBackend.Mmsg)]
    [InlineData(false, UdpBackend.Automatic, UdpBackend.Portable)]
    [InlineData(false, UdpBackend.Mmsg, UdpBackend.Portable)]
    public void Preferred_SwitchAndProbe_IsAvailable(bool mmsg, UdpBackend? switched, UdpBackend expected) =>
        Assert.Equal(expected, Capabilities(mmsg).PreferredUnder(switched));

    [Theory]
    [InlineData(UdpBackend.Uring, false, UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Uring, true, UdpBackend.Uring)]
    [InlineData(UdpBackend.Automatic, true, UdpBackend.Mmsg)]
    public void Choose_UringSwitchedOn_FallsBackWhereRefused(UdpBackend switched, bool uring, UdpBackend expected)
    {
        Capabilities capabilities = Capabilities(mmsg: true, uring);

        Assert.Equal(expected, BackendSelector.Choose(new(), capabilities, switched));
        Assert.Equal(expected, capabilities.PreferredUnder(switched));
    }

    [Theory]
    [InlineData(true, false, UdpBackend.Automatic, null)]
    [InlineData(true, true, UdpBackend.Uring, null)]
    [InlineData(false, false, UdpBackend.Portable, null)]
    [InlineData(false, false, null, null)]
    [InlineData(false, false, UdpBackend.Automatic, "Mmsg is not available here: test")]
    [InlineData(true, false, UdpBackend.Uring, "SPATE_BACKEND requires Uring, which is not available here: a test")]
    [InlineData(false, false, UdpBackend.Winsock, "SPATE_BACKEND requires Winsock, which is not available here: test")]
    [InlineData(false, false, UdpBackend.Rio, "SPATE_BACKEND requires Rio, which is not available here: test")]
    public void Fallback_SwitchAndProbe_SaysWhatIsMissed(
        bool mmsg, bool uring, UdpBackend? switched, string? expected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "elsewhere there is nothing faster to fall back from");

        Assert.Equal(expected, Capabilities(mmsg, uring).FallbackUnder(switched));
    }

    [Theory]
    [InlineData(UdpBackend.Winsock, "Winsock", UdpBackend.Winsock)]
    [InlineData(UdpBackend.Winsock, "", null)]
    [InlineData(UdpBackend.Rio, "Winsock,Rio", UdpBackend.Rio)]
    [InlineData(UdpBackend.Rio, "Winsock", UdpBackend.Winsock)]
    [InlineData(UdpBackend.Rio, "", UdpBackend.Portable)]
    [InlineData(UdpBackend.Automatic, "Winsock,Rio", UdpBackend.Portable)]
    public void Choose_WindowsBackendSwitchedOn_FallsBackAsFarAsTheProbesSay(
        UdpBackend switched, string available, UdpBackend? expected)
    {
        Capabilities capabilities = new((_, capability) =>
            new UdpCapability("one", available.Split(',').Contains($"{capability}"), "test"));

        if (expected is null)
        {
            PlatformNotSupportedException fault = Assert.Throws<PlatformNotSupportedException>(
                () => BackendSelector.Choose(new(), capabilities, switched));
            Assert.Equal("The Winsock backend is not available here: test.", fault.Message);
            return;
        }

        Assert.Equal(expected, BackendSelector.Choose(new(), capabilities, switched));
    }

    [Theory]
    [InlineData(UdpBackend.Winsock)]
    [InlineData(UdpBackend.Rio)]
    public void Choose_WindowsBackendWithTimestamps_RefusesWithTheOption(UdpBackend backend)
    {
        Capabilities capabilities = new(static (_, _) => new UdpCapability("one", true, "test"));
        UdpSocketOptions options = new()
        {
            Backend = backend,
            Metadata = UdpMetadata.LocalAddress | UdpMetadata.Timestamp,
        };

        PlatformNotSupportedException fault = Assert.Throws<PlatformNotSupportedException>(
            () => BackendSelector.Choose(options, capabilities, null));

        Assert.Contains("leave Timestamp out of Metadata", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(UdpBackend.Portable, true, true, "")]
    [InlineData(UdpBackend.Mmsg, false, false, "Mmsg")]
    [InlineData(UdpBackend.Automatic, false, false, "Mmsg")]
    [InlineData(UdpBackend.Automatic, true, false, "Mmsg,CoalescedReceive")]
    [InlineData(UdpBackend.Automatic, false, true, "Mmsg,SegmentedSend")]
    [InlineData(UdpBackend.Automatic, true, true, "Mmsg,CoalescedReceive,SegmentedSend")]
    public void ChooseAndCreate_Options_ProbeOnlyWhatTheyNeed(
        UdpBackend asked, bool coalesced, bool segmented, string expected)
    {
        List<string> probed = [];
        Capabilities capabilities = new((_, capability) =>
        {
            probed.Add($"{capability}");
            return new UdpCapability("one", capability == Capability.Mmsg && OperatingSystem.IsLinux(), "test");
        });
        UdpSocketOptions options = new()
        {
            Backend = asked,
            CoalescedReceive = coalesced,
            SegmentedSend = segmented,
        };
        Assert.SkipUnless(asked != UdpBackend.Mmsg || OperatingSystem.IsLinux(), "Mmsg is Linux's");
        for (int round = 0; round < 2; round++)
        {
            UdpBackend chosen = BackendSelector.Choose(options, capabilities, UdpBackend.Automatic);
            using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            BackendSelector.Open(chosen, new SocketContext(socket, options, default), capabilities).Receiver.Close();
            Assert.Equal(OperatingSystem.IsLinux() || asked == UdpBackend.Portable ? expected : "Mmsg",
                string.Join(',', probed));
        }
    }

    [Fact]
    public void Choose_Uring_ProbesTheRingAndNoOffload()
    {
        List<string> probed = [];
        Capabilities capabilities = new((_, capability) =>
        {
            probed.Add($"{capability}");
            return new UdpCapability("one", true, "test");
        });
        Assert.Empty(probed);
        Assert.Equal(
            UdpBackend.Uring, BackendSelector.Choose(new() { Backend = UdpBackend.Uring }, capabilities, null));
        Assert.Equal(["Uring"], probed);
    }

    [Fact]
    public void Capability_ShortOfDescriptors_IsProbedAgain()
    {
        int count = 0;
        Capabilities capabilities = new((_, _) =>
            new UdpCapability("one", ++count == 2, "test") { IsTransient = count == 1 });
        Assert.False(capabilities[Capability.Mmsg].IsAvailable);
        Assert.True(capabilities[Capability.Mmsg].IsAvailable);
        Assert.True(capabilities[Capability.Mmsg].IsAvailable);
        Assert.Equal(2, count);
    }

    [Fact]
    public void Capability_ProbeThrows_IsProbedAgain()
    {
        int count = 0;
        Capabilities capabilities = new((_, _) => ++count == 1
            ? throw new InvalidOperationException()
            : new UdpCapability("one", true, "test"));
        Assert.Throws<InvalidOperationException>(() => capabilities[Capability.Mmsg]);
        Assert.True(capabilities[Capability.Mmsg].IsAvailable);
        Assert.Same(capabilities[Capability.Mmsg], capabilities[Capability.Mmsg]);
        Assert.Equal(2, count);
    }

    [Fact]
    public void Probes_OfThisMachine_HaveTheNamesOfTheirCapabilities()
    {
        Capabilities capabilities = BackendSelector.MakeProbes();

        Assert.Equal(
            Enum.GetNames<Capability>(), capabilities.All.Select(probed => probed.Name),
            StringComparer.OrdinalIgnoreCase);
        Assert.Equal(UdpCapabilities.Current.Metadata.Name, capabilities[Capability.Metadata].Name);
    }

    [Fact]
    public void Shortage_OfDescriptorsOrMemory_IsTransient()
    {
        Assert.True(BackendSelector.IsShortage(new SocketException((int)SocketError.TooManyOpenSockets)));
        Assert.True(BackendSelector.IsShortage(new InsufficientMemoryException()));
        Assert.False(BackendSelector.IsShortage(new SocketException((int)SocketError.AccessDenied)));
    }

    private static Capabilities Capabilities(bool mmsg, bool uring = false) => new((_, capability) =>
        capability == Capability.Uring
            ? new UdpCapability("other", uring, "a test")
            : new UdpCapability("one", mmsg, "test"));

    [Theory]
    [InlineData(null, false)]
    [InlineData("", false)]
    [InlineData("0", true)]
    [InlineData(" 0 ", true)]
    [InlineData("off", true)]
    [InlineData("OFF", true)]
    [InlineData("False", true)]
    [InlineData("no", true)]
    [InlineData("1", false)]
    [InlineData("on", false)]
    [InlineData("true", false)]
    [InlineData("00", false)]
    public void IsOff_Value_MeansOff(string? value, bool expected) => Assert.Equal(expected, Switches.IsOff(value));

    [Theory]
    [InlineData("4.18", false)]
    [InlineData("6.18.44", false)]
    [InlineData("6.99.99", false)]
    [InlineData("7.0", true)]
    [InlineData("7.0.0", true)]
    [InlineData("7.0.12", true)]
    [InlineData("7.1", true)]
    [InlineData("7.1.4", true)]
    [InlineData("7.1.5", false)]
    [InlineData("7.2", false)]
    [InlineData("8.0", false)]
    public void CorruptsGso_KernelVersion_AsKnown(string version, bool expected) =>
        Assert.Equal(expected, BackendSelector.CorruptsGso(Version.Parse(version)));
}
