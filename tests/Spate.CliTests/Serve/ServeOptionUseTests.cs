using System.CommandLine;
using Spate.Cli.Serve;
using Spate.Cli.Shell;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.CliTests.Serve;

/// <summary>Options that cannot do anything are refused; every row of the table, and that each can be met.</summary>
public sealed class ServeOptionUseTests
{
    private static readonly string[] Relay = ["--app", "relay", "--to", "127.0.0.1:5000"];

    /// <summary>The option, what it is given with, what it is said to do nothing with.</summary>
    public static TheoryData<string, string[], string> Useless { get; } = new()
    {
        { "--to", ["--to", "127.0.0.1:5000"], "--app count (the default)" },
        { "--once", ["--once", .. Relay], "--app relay" },
        { "--once", ["--once", "--app", "discard"], "--app discard" },
        { "--deadline", ["--deadline", "0.1", "--app", "echo"], "--app echo" },
        { "--verify", ["--verify", "--app", "discard"], "--app discard" },
        { "--answers-per-peer", ["--answers-per-peer", "off"], "--app count (the default)" },
        { "--answers-per-peer", ["--answers-per-peer", "100", .. Relay], "--app relay" },
        { "--patience", ["--patience", "5"], "a server that does not wait for its senders' ends" },
        { "--no-gso", ["--no-gso"], "--app count (the default)" },
        { "--no-gso", ["--no-gso", "--app", "discard"], "--app discard" },
        { "--wake-threshold", ["--wake-threshold", "8", "--design", "iocp-several"], "--design iocp-several" },
        { "--steering", ["--steering", "cpu", "--design", "drain"], "--design drain" },
        { "--steering", ["--steering", "automatic", "--design", "ring"], "--design ring" },
        { "--steering", ["--steering", "kernel", "--threads", "1"], "one thread" },
        { "--wake-threshold", ["--wake-threshold", "64"], "--design sharded (the default)" },
        { "--wake-threshold", ["--wake-threshold", "8", "--design", "one-by-one"], "--design one-by-one" },
        { "--wake-threshold", ["--wake-threshold", "8", "--design", "drain"], "--design drain" },
        { "--wake-threshold", ["--wake-threshold", "8", "--design", "adaptive", "--threads", "1"], "one thread" },
        { "--spin-all", ["--spin-all"], "--wait blocking, as sharded has it" },
        { "--spin-all", ["--spin-all", "--wait", "spinning"], "--wait spinning" },
        { "--spin-all", ["--spin-all", "--wait", "blocking", "--design", "adaptive"], "--wait blocking" },
    };

    /// <summary>An option that sets a thing which the design brings with it, and the message.</summary>
    public static TheoryData<string, string[], string> Fixed { get; } = new()
    {
        {
            "--backend", ["--backend", "winsock", "--design", "rio-polled"],
            "--design rio-polled has its own backend: leave --backend out"
        },
        {
            "--wait", ["--wait", "adaptive", "--design", "rio-port"],
            "--design rio-port has its own way of waiting: leave --wait out"
        },
    };

    public static TheoryData<string[]> Useful { get; } = new(
        [.. Relay],
        ["--once", "--patience", "5"],
        ["--deadline", "0.1", "--verify"],
        ["--no-gso", "--app", "echo"],
        ["--answers-per-peer", "off", "--app", "echo"],
        ["--answers-per-peer", "10k", "--app", "echo"],
        ["--no-gso", .. Relay],
        ["--no-gro", "--design", "one-by-one"],
        ["--steering", "cpu"],
        ["--steering", "kernel", "--threads", "2"],
        ["--wake-threshold", "8", "--design", "adaptive"],
        ["--wake-threshold", "8", "--design", "ring", "--threads", "1"],
        ["--wake-threshold", "8", "--design", "reader-workers"],
        ["--wake-threshold", "8", "--design", "rio-hybrid"],
        ["--wake-threshold", "8", "--design", "rio-reposter"],
        ["--spin-all", "--design", "rio-hybrid"],
        ["--backend", "portable", "--design", "drain", "--wait", "spinning"],
        ["--spin-all", "--design", "adaptive"],
        ["--spin-all", "--wait", "adaptive", "--design", "drain"],
        ["--design", "drain", "--app", "discard"]);

    [Theory]
    [MemberData(nameof(Useless))]
    public void Read_OptionThatDoesNothing_IsRefusedWithWhatItNeeds(string option, string[] arguments, string given)
    {
        CommandException fault = Assert.Throws<CommandException>(() => Read(arguments));

        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
        Assert.StartsWith(
            $"{option} has no effect with {given}: it is for --", fault.Message, StringComparison.Ordinal);
        Assert.Matches("; leave it out, or (change --[a-z]+|add --once)$", fault.Message);
        Assert.DoesNotContain('\n', fault.Message);
    }

    [Theory]
    [MemberData(nameof(Fixed))]
    public void Read_OptionThatTheDesignSets_IsRefusedWithTheReason(string option, string[] arguments, string message)
    {
        CommandException fault = Assert.Throws<CommandException>(() => Read(arguments));

        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
        Assert.Equal(message, fault.Message);
        Assert.EndsWith($"leave {option} out", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Useful))]
    public void Read_OptionThatDoesSomething_IsTaken(string[] arguments) =>
        Assert.NotEmpty(Read(arguments).LocalEndPoints);

    [Theory]
    [InlineData("iocp-one", "one-by-one", UdpBackend.Winsock, UdpServerWait.Blocking)]
    [InlineData("iocp-several", "drain", UdpBackend.Winsock, UdpServerWait.Blocking)]
    [InlineData("rio-polled", "drain", UdpBackend.Rio, UdpServerWait.Spinning)]
    [InlineData("rio-port", "drain", UdpBackend.Rio, UdpServerWait.Blocking)]
    [InlineData("rio-hybrid", "adaptive", UdpBackend.Rio, UdpServerWait.Adaptive)]
    [InlineData("rio-reposter", "reader-workers", UdpBackend.Rio, UdpServerWait.Blocking)]
    public void Read_DesignOfWindows_SetsDesignBackendAndWait(
        string name, string designName, UdpBackend backend, UdpServerWait wait)
    {
        ServeOptions options = Read(["--design", name, "--threads", "2"]);

        Assert.Equal(
            (name, designName, backend, wait),
            (options.Design.Name, options.Design.Kind.Name, options.Transport.Backend, options.Wait));
    }

    [Fact]
    public void Read_DesignOfAnySystem_HasNoOtherName() =>
        Assert.Equal(ServerDesign.Of(UdpComparisonDesigns.Drain), Read(["--design", "drain"]).Design);

    [Fact]
    public void All_EveryRow_NamesOptionsOfServeAndHasATest()
    {
        var command = new Command("serve");
        new ServeOptionSet().AddTo(command);
        string[] names = [.. command.Options.Select(static option => option.Name)];
        string[] tested = [.. Useless.Concat(Fixed).Select(static row => row.Data.Item1)];
        foreach (ServeOptionUse use in ServeOptionUse.All)
        {
            Assert.Contains(use.Option, names, StringComparer.Ordinal);
            Assert.Contains(use.Deciding, names, StringComparer.Ordinal);
            Assert.Contains(use.Option, tested, StringComparer.Ordinal);
        }
    }

    private static ServeOptions Read(string[] arguments)
    {
        var command = new Command("serve");
        var options = new ServeOptionSet();
        options.AddTo(command);
        ParseResult parsed = command.Parse(arguments);
        Assert.Empty(parsed.Errors);
        return options.Read(parsed).Serve;
    }
}
