using System.Net;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;

namespace Spate.CliTests.Iperf.Iperf3.Options;

public sealed class Iperf3ArgumentsTests
{
    /// <summary>An option of a client, and the parameters that it sets.</summary>
    public static IEnumerable<ITheoryDataRow> Parameters { get; } = new TheoryData<string, Iperf3Parameters>
    {
        { "", new() },
        { "-R", new() { Reverse = true } },
        { "--rev", new() { Reverse = true } },
        { "--bidir", new() { Bidirectional = true } },
        { "-P 4", new() { StreamCount = 4 } },
        { "--par=2", new() { StreamCount = 2 } },
        { "-l8972", new() { LengthBytes = 8972 } },
        { "-l 8K", new() { LengthBytes = 8192 } },
        { "-b0", new() { BitsPerSecond = 0 } },
        { "-b 10M", new() { BitsPerSecond = 10_000_000 } },
        { "--ban 1M", new() { BitsPerSecond = 1_000_000 } },
        { "-b 10M/20", new() { BitsPerSecond = 10_000_000, BurstDatagrams = 20 } },
        { "-t 5", new() { Seconds = 5 } },
        { "-t 0", new() { Seconds = 0 } },
        { "-O 2", new() { OmitSeconds = 2 } },
        { "-n 1M", new() { Bytes = 1_048_576, Seconds = 0 } },
        { "-k 100K", new() { Blocks = 102_400, Seconds = 0 } },
        { "-w4m", new() { WindowBytes = 4_194_304 } },
        { "--udp-counters-64bit", new() { Counters64Bit = true } },
        { "--get-server-output", new() { GetServerOutput = true } },
        { "-S 0x20", new() { TrafficClass = 32 } },
        { "--dscp ef", new() { TrafficClass = 184 } },
        { "--dscp 46", new() { TrafficClass = 184 } },
        { "--dont-fragment", new() { DontFragment = true } },
        { "--repeating-payload", new() { RepeatingPayload = true } },
        { "-A 0,3", new() { ServerCpu = 3 } },
        { "-A 0,3 -A any", new() },
        { "--gsro", new() { Gsro = true } },
        { "--fq-rate 5G", new() { FqBitsPerSecond = 5_000_000_000 } },
        { "-T hello", new() { Title = "hello" } },
        { "--extra-data x", new() { ExtraData = "x" } },
        { "-P 2 -P 3", new() { StreamCount = 3 } },
    };

    public static TheoryData<string, string> Mistakes { get; } = new()
    {
        { "-u", "a role is missing: expected -c HOST or -s" },
        { "-s -c ::1", "-s and -c exclude each other" },
        { "-c ::1", "only UDP is supported: add -u" },
        { "-c ::1 -u extra", "unexpected argument 'extra'" },
        { "-s -u", "-u is for the client" },
        { "-s -P2", "-P is for the client" },
        { "-s -T x", "-T is for the client" },
        { "-c ::1 -u -1", "-1 is for the server" },
        { "-c ::1 -u --queue 2", "--queue is for the server" },
        { "-c ::1 -uR --bidir", "-R and --bidir exclude each other" },
        { "-c ::1 -u -t1 -n1", "-t, -n and -k exclude each other: use one of them" },
        { "-c ::1 -u -k1 -n1", "-t, -n and -k exclude each other" },
        { "-c ::1 -u -t0 -k1", "-t, -n and -k exclude each other" },
        { "-c ::1 -u -l15", "-l '15': expected a number from 16 to 65507" },
        { "-c ::1 -u -l70000", "-l '70000': expected" },
        { "-c ::1 -u -P0", "-P '0': expected a number from 1 to 128" },
        { "-c ::1 -u -P129", "-P '129': expected" },
        { "-c ::1 -u -t86401", "-t '86401': expected a number from 0 to 86400" },
        { "-c ::1 -u -O601", "-O '601': expected a number from 0 to 600" },
        { "-c ::1 -u -b", "option '-b' needs a value" },
        { "-c ::1 -u -bx", "-b 'x': expected a number from 0" },
        { "-c ::1 -u -b1M/0", "-b '1M/0': expected a number from 1 to 1000" },
        { "-c ::1 -u -b1M/1001", "-b '1M/1001': expected" },
        { "-c ::1 -u -w1T", "-w '1T': expected a number from 0 to 536870912" },
        { "-c ::1 -u -n0", "-n '0': expected a number from 1" },
        { "-c ::1 -u -i0.05", "-i '0.05': expected seconds from 0.1 to 60" },
        { "-c ::1 -u -i61", "-i '61': expected" },
        { "-c ::1 -u -i-1", "-i '-1': expected" },
        { "-c ::1 -u -i", "option '-i' needs a value" },
        { "-c ::1 -u -fx", "-f 'x': expected one of k, m, g and t" },
        { "-c ::1 -u -p0", "-p '0': expected a number from 1 to 65535" },
        { "-c ::1 -u -S256", "-S '256': expected a number from 0 to 255" },
        { "-c ::1 -u --dscp 64", "--dscp '64': expected a number from 0 to 63" },
        { "-c ::1 -u --dscp zz", "--dscp 'zz': expected a number from 0 to 63, or a name" },
        { "-c ::1 -u --cport 65535 -P2", "--cport 65535 leaves too few ports for 2 streams" },
        { "-c ::1 -u --cport 65534 -P2 --bidir", "--cport 65534 leaves too few ports for 4 streams" },
        { "-c ::1 -u --rcv-timeout 500", "--rcv-timeout is for a client that receives" },
        { "-c ::1 -uR --rcv-timeout 99", "--rcv-timeout '99': expected a number from 100" },
        { "-c ::1 -u -A 9999", "-A '9999': expected a CPU number from 0 to 1024, two as N,M, or any (see" },
        { "-c ::1 -u -A x", "-A 'x': expected a CPU number from 0 to 1024" },
        { "-c ::1 -u -A 0,", "-A '0,': expected a CPU number from 0 to 1024, two as N,M, or any (see" },
        { "-c ::1 -u -A 0,any", "-A '0,any': expected a CPU number" },
        { "-c ::1 -u -n 1Z", "-n '1Z': expected a number from 1 to 9223372036854775807, with K, M, G or T" },
        { "-c ::1 -u -b 1e9", "-b '1e9': expected a number from 0 to 9223372036854775807, with" },
        { "-c ::1 -u -A 1024", "-A 1024: this CPU does not exist" },
        { "-s -A 0,1", "-A has two CPUs" },
        { "-s --logfile=", "--logfile '': expected the name of a file" },
        { "-s --pidfile=", "--pidfile '': expected the name of a file" },
    };

    public static TheoryData<string, string> Refusals { get; } = new()
    {
        { "-c ::1 -u -4", "::1 is an IPv6 address, but -4 requires IPv4" },
        { "-c ::1 -u -B 127.0.0.1", "-B 127.0.0.1 and -c ::1 have no common address family" },
        { "-c host%eth0 -u", "-c 'host%eth0' names a device" },
        { "-s -B 127.0.0.1%eth0", "-B '127.0.0.1%eth0' names a device" },
        { "-c 1.2.3 -u", "'1.2.3' is not an IPv4 address" },
        { "-c ::1 -u --sctp", "--sctp is not supported: use iperf3 for protocols other than UDP" },
        { "-c ::1 -u -m", "-m is not supported" },
        { "-c ::1 -u -X a", "-X is not supported" },
        { "-c ::1 -u -F f", "-F is not supported: no file is sent" },
        { "-c ::1 -u -L 5", "-L is not supported: the system chooses the flow label" },
        { "-c ::1 -u --bind-dev eth0", "--bind-dev is not supported" },
        { "-c ::1 -u --username me", "--username is not supported: leave iperf3's authentication out" },
        { "-c ::1 -u --rsa-pub key", "--rsa-public-key-path is not supported: "
            + "leave iperf3's authentication out, or use spate test with --key-file" },
        { "-s --rsa-private-key-path key", "--rsa-private-key-path is not supported" },
        { "-s --authorized-users-path f", "--authorized-users-path is not supported" },
        { "-s --time-skew-threshold 3", "--time-skew-threshold is not supported" },
        { "-s -D", "-D is not supported: the server stays in the foreground: use systemd" },
        { "-s --queue 257", "--queue '257': expected a number from 0 to 256" },
        { "-s --parallel-tests 0", "--parallel-tests '0': expected a number from 1 to 256" },
        { "-s --idle-timeout 0", "--idle-timeout '0': expected" },
        { "-s --server-bitrate-limit x", "--server-bitrate-limit 'x': expected a number" },
        { "-s --server-bitrate-limit 1G/0", "--server-bitrate-limit '1G/0': expected seconds from 0.1" },
        { "-s --backend foo", "--backend 'foo': expected auto, portable" },
        { "--foo", "unrecognized option '--foo'" },
        { "--ver", "option '--ver' is ambiguous" },
    };

    [Theory, MemberData(nameof(Parameters))]
    internal void Read_OptionOfTheTest_IsInTheParameters(string options, Iperf3Parameters expected)
    {
        Iperf3RunOptions settings = Read("-c 127.0.0.1 -u " + options);

        Assert.Equal(expected with { ClientVersion = ToolVersion.Line }, settings.Client!.Parameters);
        Assert.Empty(settings.Notices);
    }

    [Theory, MemberData(nameof(Mistakes)), MemberData(nameof(Refusals))]
    public void Read_Mistake_IsOneLine(string line, string expected)
    {
        CommandException fault = Assert.Throws<CommandException>(() => Read(line));

        Assert.StartsWith(expected, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
    }

    [Theory]
    [InlineData("-Z")]
    [InlineData("-M 1400")]
    [InlineData("-N")]
    [InlineData("-C cubic")]
    [InlineData("-d")]
    [InlineData("--debug=2")]
    [InlineData("--pacing-timer 1K")]
    [InlineData("--snd-timeout 100")]
    [InlineData("--no-fq-socket-pacing")]
    public void Read_OptionWithoutEffect_IsTold(string option)
    {
        string notice = Assert.Single(Read("-c 127.0.0.1 -u " + option).Notices);

        Assert.StartsWith(option.Split(' ', '=')[0] + " has no effect: ", notice, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_Client_HasItsEndsAndTimes()
    {
        Iperf3ClientOptions client = Read(
            "-c 127.0.0.1 -uR -p 99 -B 127.0.0.2 --cport 4000 -i 0.5 --connect-timeout 250 --rcv-timeout 500 -A 0 "
            + "--no-gso --no-gro --no-force --backend portable").Client!;

        Assert.Equal([new IPEndPoint(IPAddress.Loopback, 99)], client.Servers);
        Assert.Equal(IPAddress.Parse("127.0.0.2"), client.Local);
        Assert.Equal(4000, client.StreamPort);
        Assert.Equal(0.5, client.Interval.TotalSeconds);
        Assert.Equal(250, client.ConnectTimeout.TotalMilliseconds);
        Assert.Equal(500, client.ReceiveTimeout.TotalMilliseconds);
        Assert.Equal([0], client.Cpus);
        Assert.False(client.Transport.SegmentedSend);
        Assert.False(client.Transport.CoalescedReceive);
        Assert.False(client.Transport.ForceBuffers);
        Assert.Equal(UdpBackend.Portable, client.Transport.Backend);
    }

    [Fact]
    public void Read_Server_HasWhatItOffers()
    {
        Iperf3ServerOptions server = Read(
            "-s1p 99 -4 --queue 3 --parallel-tests 2 --idle-timeout 30 --server-bitrate-limit 1G/7 "
            + "--server-max-duration 60 -i0 -A 0").Server!;

        Assert.Equal(new IPEndPoint(IPAddress.Any, 99), server.Local);
        Assert.True(server.EndsAfterOne);
        Assert.Equal(3, server.QueueLength);
        Assert.Equal(2, server.ParallelTests);
        Assert.Equal(30, server.IdleTimeout.TotalSeconds);
        Assert.Equal(1_000_000_000, server.MaxBitsPerSecond);
        Assert.Equal(7, server.RateTime.TotalSeconds);
        Assert.Equal(60, server.MaxSeconds);
        Assert.Equal(TimeSpan.Zero, server.Interval);
        Assert.Equal([0], server.Cpus);
    }

    [Fact]
    public void Read_ServerAlone_ListensAtIperfsPortOfEveryAddress()
    {
        Iperf3ServerOptions server = Read("-s").Server!;

        Assert.Equal(new Iperf3ServerOptions { PlacesBesidePeer = true }, server);
    }

    [Fact]
    public void Read_OptionsOfTheOutput_AreThere()
    {
        Iperf3RunOptions settings = Read("-c 127.0.0.1 -uV -fM --logfile f --forceflush --timestamps=%F -I pid -T t");

        Assert.Equal(
            new Iperf3OutputOptions
            {
                Format = 'M',
                IsVerbose = true,
                LogFile = "f",
                TimestampFormat = "%F",
                Title = "t",
            },
            settings.Output);
        Assert.Equal("pid", settings.PidFile);
        Assert.Equal("%c ", Read("-s --timestamps").Output.TimestampFormat);
        Assert.True(Read("-sJ").Output.IsJson);
        Assert.True(Read("-s --json-stream").Output is { IsJsonStream: true, HasFullOutput: false });
        Iperf3OutputOptions full = Read("-sJ --json-stream-full").Output;
        Assert.True(full is { IsJsonStream: true, HasFullOutput: true });
    }

    private static Iperf3RunOptions Read(string line) => Iperf3Arguments.Read(
        Iperf3OptionTable.All.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
}
