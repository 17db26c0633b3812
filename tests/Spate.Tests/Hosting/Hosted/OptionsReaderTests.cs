using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Spate.Hosting;
using Spate.Serving;
using Spate.Tests.Serving;

namespace Spate.Tests.Hosting.Hosted;

/// <summary>What a configuration may say, and what is told of a wrong one.</summary>
public sealed class OptionsReaderTests
{
    [Theory]
    [InlineData("\"ThreadCount\": 300", "Udp:s:ThreadCount is '300': expected a number from 1 to 256.")]
    [InlineData("\"ThreadCount\": \"two\"", "Udp:s:ThreadCount is 'two': expected a number from 1 to 256.")]
    [InlineData("\"ThreadCount\": [1]", "Udp:s:ThreadCount is a section: expected a number from 1 to 256.")]
    [InlineData("\"Thread\": 3", "Udp:s:Thread is not a UDP server option: expected LocalEndPoints, ")]
    [InlineData("\"Customize\": 3", "Udp:s:Customize is not a UDP server option: expected LocalEndPoints, ")]
    [InlineData("\"Design\": \"fast\"", "Udp:s:Design is 'fast': expected one of sharded, adaptive, ")]
    [InlineData("\"Design\": 2", "Udp:s:Design is '2': expected one of sharded, adaptive, ")]
    [InlineData("\"ReceiveBufferBytes\": \"4X\"",
        "Udp:s:ReceiveBufferBytes is '4X': expected a number of bytes like 4M")]
    [InlineData("\"ReceiveBufferBytes\": \"1G\"",
        "Udp:s:ReceiveBufferBytes is '1G': expected a number of bytes like 4M")]
    [InlineData("\"SendBufferBytes\": \"-1\"", "Udp:s:SendBufferBytes is '-1': expected a number of bytes like 4M")]
    [InlineData("\"SendBufferBytes\": \"M\"", "Udp:s:SendBufferBytes is 'M': expected a number of bytes like 4M")]
    [InlineData("\"TickInterval\": \"0.5ms\"",
        "Udp:s:TickInterval is '0.5ms': expected a time like 50ms, 2s or 00:00:02, at least 1")]
    [InlineData("\"TickInterval\": \"2\"", "Udp:s:TickInterval is '2': expected a time like 50ms")]
    [InlineData("\"DrainTimeout\": \"-00:00:01\"", "Udp:s:DrainTimeout is '-00:00:01': expected a time like 50ms")]
    [InlineData("\"Cpus\": \"0, x\"", "Udp:s:Cpus is '0, x': expected numbers of CPUs, like 2, 3.")]
    [InlineData("\"SegmentedSend\": \"on\"", "Udp:s:SegmentedSend is 'on': expected true or false.")]
    [InlineData("\"Wait\": \"a\\u001b[31m\\n\"", "Udp:s:Wait is 'a?[31m?': expected one of Automatic, ")]
    [InlineData("\"LocalEndPoints\": \"127.0.0.1\"",
        "Udp:s:LocalEndPoints is '127.0.0.1': expected 1 to 64 addresses with")]
    [InlineData("\"LocalEndPoints\": [ \"localhost:53\" ]",
        "Udp:s:LocalEndPoints is 'localhost:53': expected 1 to 64 addresses")]
    [InlineData("\"TickInterval\": \"NaNs\"", "Udp:s:TickInterval is 'NaNs': expected a time like 50ms")]
    [InlineData("\"TickInterval\": \"NaNms\"", "Udp:s:TickInterval is 'NaNms': expected a time like 50ms")]
    [InlineData("\"TickInterval\": \"Infinitys\"", "Udp:s:TickInterval is 'Infinitys': expected a time like 50ms")]
    [InlineData("\"TickInterval\": \"-Infinitys\"", "Udp:s:TickInterval is '-Infinitys': expected a time like 50ms")]
    [InlineData("\"LocalEndPoints\": \"::0\"", "Udp:s:LocalEndPoints is '::0': expected 1 to 64 addresses with ports")]
    [InlineData("\"LocalEndPoints\": \"0:0:0:0:0:0:0:0\"",
        "Udp:s:LocalEndPoints is '0:0:0:0:0:0:0:0': expected 1 to 64")]
    [InlineData("\"LocalEndPoints\": [ ]",
        "Udp:s:LocalEndPoints is missing: expected the addresses and ports to serve")]
    public async Task Start_BadConfiguration_IsToldWithPathAndValue(string setting, string message)
    {
        string json = setting.Contains("LocalEndPoints", StringComparison.Ordinal)
            ? $"{{ \"Udp\": {{ \"s\": {{ {setting} }} }} }}"
            : HostCase.Json("s", setting);
        HostApplicationBuilder builder = HostCase.Builder(json);
        builder.AddUdpServer("s").AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        OptionsValidationException fault = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync(HostCase.Cancellation));

        string told = Assert.Single(fault.Failures);
        Assert.StartsWith(message, told, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', told);
    }

    [Fact]
    public async Task Start_SeveralFaults_AreToldAtOnce()
    {
        HostApplicationBuilder builder = HostCase.Builder("""{ "Udp": { "s": { "ThreadCount": 0, "Tik": "1s" } } }""");
        builder.AddUdpServer("s");
        using IHost host = builder.Build();

        OptionsValidationException fault = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync(HostCase.Cancellation));

        Assert.Equal(4, fault.Failures.Count());
    }

    [Fact]
    public async Task Start_BadValueSetInCode_IsToldInOneLine()
    {
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("s"));
        builder.AddUdpServer("s", options => options.ThreadCount = 0).AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        InvalidOperationException fault = await Assert.ThrowsAsync<InvalidOperationException>(
            () => host.StartAsync(HostCase.Cancellation));

        Assert.StartsWith(
            "The UDP server 's' (Udp:s) cannot start: ThreadCount must be from 1 to 256.", fault.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
    }

    [Fact]
    public async Task Start_BadValuesOfHostingSetInCode_AreToldAtOnce()
    {
        HostApplicationBuilder builder = HostCase.Builder("{}");
        builder.AddUdpServer("s", options =>
        {
            options.LocalEndPoints = null!;
            options.DrainTimeout = TimeSpan.FromSeconds(-1);
            options.ServerExceptionBehavior = (UdpServerExceptionBehavior)9;
        }).AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        OptionsValidationException fault = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync(HostCase.Cancellation));

        Assert.Collection(
            fault.Failures,
            told => Assert.StartsWith("Udp:s:LocalEndPoints is missing: expected", told, StringComparison.Ordinal),
            told => Assert.Equal("Udp:s:DrainTimeout is -00:00:01: expected a time of zero or more.", told),
            told => Assert.Equal("Udp:s:ServerExceptionBehavior is 9: expected one of StopHost, Ignore.", told));
    }

    [Theory]
    [InlineData("[::]:0", true)]
    [InlineData("0.0.0.0:0", true)]
    [InlineData("[::1]:5, 127.0.0.1:5", true)]
    [InlineData("::1:5", false)]
    [InlineData("[::0]", false)]
    public void Read_EndPoints_NeedAPort(string text, bool isTaken)
    {
        HostApplicationBuilder builder = HostCase.Builder(
            $"{{ \"Udp\": {{ \"s\": {{ \"LocalEndPoints\": \"{text}\" }} }} }}");
        builder.AddUdpServer("s").AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        if (isTaken) Assert.NotEmpty(Options(host, "s").LocalEndPoints);
        else Assert.Throws<OptionsValidationException>(() => Options(host, "s"));
    }

    [Theory]
    [InlineData("\"LocalEndPoints\": [ \"127.0.0.1:5\", \"127.0.0.1:6\" ]", "LocalEndPoints", "[::1]:7")]
    [InlineData("\"LocalEndPoints\": \"127.0.0.1:5\"", "LocalEndPoints:0", "[::1]:7")]
    public void Read_TextAndListOfTwoSources_TakesTheLater(string file, string laterKey, string laterText)
    {
        HostApplicationBuilder builder = HostCase.Builder($"{{ \"Udp\": {{ \"s\": {{ {file} }} }} }}");
        builder.Configuration.AddInMemoryCollection([new($"Udp:s:{laterKey}", laterText)]);
        builder.AddUdpServer("s").AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        Assert.Equal([UdpEndPoint.IPv6Loopback(7)], Options(host, "s").LocalEndPoints);
    }

    [Fact]
    public void Read_EveryKey_ReachesTheOptions()
    {
        HostApplicationBuilder builder = HostCase.Builder("""
            { "Udp": { "s": {
                "LocalEndPoints": [ "127.0.0.1:5", "[::1]:6" ], "design": "reader-workers",
                "ThreadCount": 3, "Cpus": [ 0, 1 ],
                "Steering": "FlowHash", "Wait": "spinning", "TickInterval": "50ms", "ReplyTimeout": "00:00:02",
                "ReceiveBufferBytes": "4m", "SendBufferBytes": 4096, "Backend": "Portable", "CoalescedReceive": false,
                "SegmentedSend": "False", "DrainTimeout": "1.5s", "ServerExceptionBehavior": "Ignore" } } }
            """);
        builder.AddUdpServer("s", options => options.ThreadCount++).AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        UdpHostedServerOptions options = Options(host, "s");

        Assert.Empty(options.Faults);
        Assert.Equal([UdpEndPoint.Loopback(5), UdpEndPoint.IPv6Loopback(6)], options.LocalEndPoints);
        Assert.Equal("reader-workers 4 FlowHash Spinning Portable Ignore",
            $"{options.Design} {options.ThreadCount} {options.Steering} {options.Wait} {options.Backend} "
                + $"{options.ServerExceptionBehavior}");
        Assert.Equal([0, 1], options.Cpus);
        Assert.Equal((50.0, 2000.0, 1500.0), (options.TickInterval!.Value.TotalMilliseconds,
            options.ReplyTimeout.TotalMilliseconds, options.DrainTimeout.TotalMilliseconds));
        Assert.Equal((4 << 20, 4096, false, false), (options.ReceiveBufferBytes, options.SendBufferBytes,
            options.CoalescedReceive, options.SegmentedSend));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ToServerOptions_BufferSizes_AreTheDefaultAndNullIsTheSystems(bool isSystems)
    {
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("s"));
        builder.AddUdpServer("s", options =>
        {
            if (isSystems) (options.ReceiveBufferBytes, options.SendBufferBytes) = (null, null);
        }).AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        UdpSocketOptions asked = Options(host, "s").ToServerOptions("s", TimeProvider.System, _ => { }).Socket;

        int? expected = isSystems ? null : UdpSocketOptions.DefaultBufferBytes;
        Assert.Equal((expected, expected), (asked.ReceiveBufferBytes, asked.SendBufferBytes));
    }

    [Fact]
    public void Customize_CalledTwice_AppliesBothInOrder()
    {
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("s"));
        builder.AddUdpServer("s")
            .Customize(options => options with { ThreadCount = options.ThreadCount + 1, Wait = UdpServerWait.Spinning })
            .Customize(options => options with { ThreadCount = options.ThreadCount * 10 })
            .AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        UdpServerOptions asked = Options(host, "s").ToServerOptions("s", TimeProvider.System, _ => { });

        Assert.Equal(((int?)20, UdpServerWait.Spinning), (asked.ThreadCount, asked.Wait));
    }

    [Fact]
    public void Customize_ReturnsNull_SaysWhatToReturn()
    {
        HostApplicationBuilder builder = HostCase.Builder(HostCase.Json("s"));
        builder.AddUdpServer("s").Customize(_ => null!).AddHandler((_, _) => new TestHandler());
        using IHost host = builder.Build();

        InvalidOperationException fault = Assert.Throws<InvalidOperationException>(
            () => Options(host, "s").ToServerOptions("s", TimeProvider.System, _ => { }));
        Assert.Contains("return the options, or a copy", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a:b")]
    [InlineData("a b")]
    public void AddUdpServer_BadName_IsRefused(string name) =>
        Assert.Throws<ArgumentException>(() => HostCase.Builder("{}").AddUdpServer(name));

    [Fact]
    public void AddUdpServer_SameNameOrSecondHandler_IsRefused()
    {
        HostApplicationBuilder builder = HostCase.Builder("{}");
        UdpServerBuilder server = builder.AddUdpServer("s").AddHandler((_, _) => new TestHandler());

        Assert.Throws<InvalidOperationException>(() => builder.AddUdpServer("s"));
        Assert.Throws<InvalidOperationException>(() => builder.AddUdpServer("S"));
        Assert.Throws<InvalidOperationException>(() => server.AddHandler((_, _) => new TestHandler()));
        Assert.Equal("t", builder.AddUdpServer("t").Name);
    }

    private static UdpHostedServerOptions Options(IHost host, string name) =>
        ((IOptionsMonitor<UdpHostedServerOptions>)host.Services.GetService(
            typeof(IOptionsMonitor<UdpHostedServerOptions>))!).Get(name);
}
