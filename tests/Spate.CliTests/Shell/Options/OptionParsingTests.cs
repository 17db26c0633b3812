using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Arithmetic;

namespace Spate.CliTests.Shell.Options;

public sealed class OptionParsingTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("1380", 1380)]
    [InlineData("64k", 65536)]
    [InlineData("4M", 4194304)]
    [InlineData("4m", 4194304)]
    [InlineData("1G", 1073741824)]
    public void Size_Valid_IsBinary(string text, long expectedBytes)
    {
        Assert.True(UnitText.TryParse(text, UnitSuffix.SizeThousand, out long bytes));
        Assert.Equal(expectedBytes, bytes);
    }

    [Theory]
    [InlineData("")]
    [InlineData("k")]
    [InlineData("-1")]
    [InlineData("1.5k")]
    [InlineData("0x10")]
    [InlineData(" 1")]
    [InlineData("9999999999999999999")]
    [InlineData("9007199254740993g")]
    public void Size_Invalid_IsRefused(string text) =>
        Assert.False(UnitText.TryParse(text, UnitSuffix.SizeThousand, out _));

    [Theory]
    [InlineData("1", 1)]
    [InlineData("200k", 200_000)]
    [InlineData("1.5M", 1_500_000)]
    public void Rate_Datagrams_IsDecimal(string text, double expected)
    {
        Assert.True(Rate.TryParse(text, out Rate rate));
        Assert.Equal(expected, rate.ForSize(1380));
    }

    [Theory]
    [InlineData("5Gbit", 1000, 625_000)]
    [InlineData("8kbit/s", 1000, 1)]
    [InlineData("800bit", 100, 1)]
    public void Rate_Bits_CountsThePayload(string text, int sizeBytes, double expected)
    {
        Assert.True(Rate.TryParse(text, out Rate rate));
        Assert.Equal(expected, rate.ForSize(sizeBytes));
    }

    [Theory]
    [InlineData("max")]
    [InlineData("MAX")]
    public void Rate_Max_HasNoNumber(string text)
    {
        Assert.True(Rate.TryParse(text, out Rate rate));
        Assert.True(rate.IsMaximum);
        Assert.Null(rate.ForSize(64));
    }

    [Theory]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("0x")]
    [InlineData("-5")]
    [InlineData("bit")]
    [InlineData("NaN")]
    [InlineData("Infinity")]
    [InlineData("1e6")]
    [InlineData("999999G")]
    public void Rate_Invalid_IsRefused(string text) => Assert.False(Rate.TryParse(text, out _), text);

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1:9999")]
    [InlineData("127.0.0.1:5000", "127.0.0.1:5000")]
    [InlineData("[::1]:5000", "[::1]:5000")]
    [InlineData("[::1]", "[::1]:9999")]
    [InlineData("::1", "[::1]:9999")]
    [InlineData("[::ffff:192.0.2.1]:53", "192.0.2.1:53")]
    [InlineData("[fe80::1%3]:53", "[fe80::1%3]:53")]
    [InlineData("[2001:db8::1:9999]", "[2001:db8::1:9999]:9999")]
    [InlineData("2001:db8::53", "[2001:db8::53]:9999")]
    [InlineData("2001:db8::1:2", "[2001:db8::1:2]:9999")]
    [InlineData("2001:db8::1:ab53", "[2001:db8::1:ab53]:9999")]
    [InlineData("2001:db8:1:2:3:4:5:6000", "[2001:db8:1:2:3:4:5:6000]:9999")]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1:9999")]
    [InlineData("localhost:1", "127.0.0.1:1")]
    [InlineData("LOCALHOST", "127.0.0.1:9999")]
    [InlineData("a.localhost", "127.0.0.1:9999")]
    public void Target_Valid_IsResolved(string text, string expected) =>
        Assert.Equal(expected, EndPointText.ParseTarget(text, family: null).ToString());

    [Fact]
    public void Target_LocalhostOverIpv6_IsItsLoopback() => Assert.Equal(
        new IPEndPoint(IPAddress.IPv6Loopback, 9999),
        EndPointText.ParseTarget("localhost", AddressFamily.InterNetworkV6));

    [Theory]
    [InlineData("")]
    [InlineData(":9999")]
    [InlineData("1")]
    [InlineData("0x7f.1")]
    [InlineData("010.0.0.1")]
    [InlineData("localhost:")]
    [InlineData("localhost:+1")]
    [InlineData("localhost: 1")]
    [InlineData("[127.0.0.1]:9")]
    [InlineData("[::1]9999")]
    [InlineData("[[::1]]:9")]
    [InlineData("[::1%]:9")]
    public void Target_Invalid_IsWrongUse(string text)
    {
        CommandException fault = Assert.Throws<CommandException>(() => EndPointText.ParseTarget(text, family: null));
        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
    }

    [Theory]
    [InlineData("::1:9999", "[::1]:9999", "[::1:9999]")]
    [InlineData("2001:db8::1:53", "[2001:db8::1]:53", "[2001:db8::1:53]")]
    [InlineData("1:2:3:4:5:6:7:8:80", "[1:2:3:4:5:6:7:8]:80", null)]
    [InlineData("::1:65535", "[::1]:65535", null)]
    [InlineData("::ffff:192.0.2.1:53", "[::ffff:192.0.2.1]:53", null)]
    [InlineData("fe80::1%eth0:5000", "[fe80::1%eth0]:5000", null)]
    public void EndPoint_Ipv6WithAPortAndNoBrackets_SaysHowToWriteIt(string text, string expected, string? address)
    {
        CommandException target = Assert.Throws<CommandException>(() => EndPointText.ParseTarget(text, family: null));
        CommandException local = Assert.Throws<CommandException>(() => EndPointText.ParseLocal(text, family: null));

        Assert.Equal(ExitCode.WrongUse, target.ExitCode);
        Assert.Equal(target.Message, local.Message);
        Assert.Contains($"write {expected}", target.Message, StringComparison.Ordinal);
        Assert.Equal(
            address is not null, target.Message.EndsWith($", or {address} for the address", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(null, "0.0.0.0:9999")]
    [InlineData(":5000", "0.0.0.0:5000")]
    [InlineData("127.0.0.1", "127.0.0.1:9999")]
    [InlineData("127.0.0.1:0", "127.0.0.1:0")]
    [InlineData("[::]:5000", "[::]:5000")]
    public void Local_Valid_HasDefaults(string? text, string expected) =>
        Assert.Equal(expected, EndPointText.ParseLocal(text, family: null).ToString());

    [Fact]
    public void Local_NothingWithIpv6_IsAnyOfIt() =>
        Assert.Equal(IPAddress.IPv6Any, EndPointText.ParseLocal(null, AddressFamily.InterNetworkV6).Address);

    [Theory]
    [InlineData("2,3", new[] { 2, 3 })]
    [InlineData("3,2", new[] { 3, 2 })]
    [InlineData("2-3", new[] { 2, 3 })]
    public void Cpus_Usable_KeepTheirOrder(string text, int[] expected) =>
        Assert.Equal(expected, CpuChoice.Parse(text, FourCpus()).Numbers);

    [Fact]
    public void Cpus_OneTwiceWhereThatIsTaken_AreBoth() =>
        Assert.Equal([2, 2], CpuChoice.Parse("2,2", FourCpus(), takesTwice: true).Numbers);

    [Fact]
    public void Cpus_SystemThatBindsNoThreads_AreRefusedInALine()
    {
        CpuChoice.RequireAffinity("-A", isLinux: true);
        CommandException fault = Assert.Throws<CommandException>(
            () => CpuChoice.RequireAffinity("-A", isLinux: false));

        Assert.Equal(ExitCode.CouldNotRun, fault.ExitCode);
        Assert.StartsWith(
            "-A: threads can be bound to CPUs on Linux only: leave -A out", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Cpus_Auto_IsLeftToTheRun() => Assert.True(CpuChoice.Parse("auto", FourCpus()).IsAutomatic);

    [Theory]
    [InlineData("4", "this CPU does not exist")]
    [InlineData("1", "may not use this CPU")]
    [InlineData("2,2", "twice")]
    [InlineData("", "not a list")]
    [InlineData("2,", "not a list")]
    public void Cpus_Wrong_SayWhatIsUsable(string text, string expected)
    {
        CommandException fault = Assert.Throws<CommandException>(() => CpuChoice.Parse(text, FourCpus()));
        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
        Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
    }

    // 0 and 1 are outside this process's set, 2 and 3 inside.
    private static CpuFacts FourCpus() => new()
    {
        ModelName = null,
        QuotaCpus = null,
        All =
        [
            .. Enumerable.Range(0, 4).Select(static number => new CpuInfo(number, number, 0, 0, Usable: number >= 2)),
        ],
    };
}
