using System.Net;
using Spate.Gateway;

namespace Spate.Tests.Gateway;

public sealed class GatewayTargetTests
{
    [Theory]
    [InlineData("amqp://broker", "broker:5672", "/", false)]
    [InlineData("amqp://broker/", "broker:5672", "/", false)]
    [InlineData("AMQPS://broker/logs", "broker:5671", "logs", true)]
    [InlineData("amqp://a:1,b,c_3.example:65535/%2Flogs%40x", "a:1 b:5672 c_3.example:65535", "/logs@x", false)]
    [InlineData("amqps://[::1],[2001:db8::7]:7000/v", "::1:5671 2001:db8::7:7000", "v", true)]
    public void Parse_Target_HostsPortsAndVirtualHost(string text, string hosts, string virtualHost, bool usesTls)
    {
        GatewayTarget target = GatewayTarget.Parse(text);

        Assert.Equal(hosts, string.Join(' ', target.Hosts.Select(static host => $"{host.Host}:{host.Port}")));
        Assert.Equal((virtualHost, usesTls, false), (target.VirtualHost, target.UsesTls, target.IsDiscard));
        Assert.Equal(target.Hosts, GatewayTarget.Parse(target.ToString()).Hosts);
        Assert.Equal(target.VirtualHost, GatewayTarget.Parse(target.ToString()).VirtualHost);
    }

    [Fact]
    public void Parse_Null_IsNowhere()
    {
        Assert.True(GatewayTarget.Parse("null:").IsDiscard);
        Assert.Equal("null:", GatewayTarget.Discard.ToString());
        Assert.False(GatewayTarget.Discard.IsLoopback);
    }

    [Fact]
    public void Equals_SameText_IsTrue()
    {
        GatewayTarget target = GatewayTarget.Parse("amqp://a,b/v");

        Assert.Equal(target, GatewayTarget.Parse("amqp://a:5672,b:5672/v"));
        Assert.Equal(target.GetHashCode(), GatewayTarget.Parse("amqp://a:5672,b:5672/v").GetHashCode());
        Assert.NotEqual(target, GatewayTarget.Parse("amqp://b,a/v"));
        Assert.NotEqual(target, GatewayTarget.Discard);
    }

    [Theory]
    [InlineData("amqp://localhost,127.8.9.1,[::1]/x", true)]
    [InlineData("amqp://localhost,broker/x", false)]
    [InlineData("amqp://localhost.example/x", false)]
    public void IsLoopback_SeveralHosts_OnlyWhereAllAre(string text, bool expected) =>
        Assert.Equal(expected, GatewayTarget.Parse(text).IsLoopback);

    [Theory]
    [InlineData("amqp://me:secret1@broker/v")]
    [InlineData("amqp://me:se/cret1@broker/v")]
    [InlineData("secret1@broker")]
    [InlineData("amqp://h1,me:secret1@h2/v")]
    public void Parse_Password_IsRefusedAndNotShown(string text)
    {
        Assert.False(GatewayTarget.TryParse(text, out _, out string? error));
        Assert.Contains("a user or a password", error, StringComparison.Ordinal);
        Assert.DoesNotContain("cret1", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "is not a target")]
    [InlineData("http://broker/v", "is not a target")]
    [InlineData("amqp:/broker", "is not a target")]
    [InlineData("amqp:///v", "the target has no host")]
    [InlineData("amqp://a,,b/v", "the target has no host")]
    [InlineData("amqp://a:0/v", "no valid port")]
    [InlineData("amqp://a:65536/v", "no valid port")]
    [InlineData("amqp://a:/v", "no valid port")]
    [InlineData("amqp://a:+1/v", "no valid port")]
    [InlineData("amqp://::1/v", "in brackets")]
    [InlineData("amqp://[::1/v", "not an IPv6 address")]
    [InlineData("amqp://[broker]/v", "not an IPv6 address")]
    [InlineData("amqp://[::1]5672/v", "not an IPv6 address")]
    [InlineData("amqp://-a/v", "is not a host")]
    [InlineData("amqp://a b/v", "is not a host")]
    [InlineData("amqp://a,a:5672/v", "given twice")]
    [InlineData("amqp://a/v/w", "%2F")]
    [InlineData("amqp://a/v?heartbeat=1", "parameters")]
    [InlineData("amqp://a/%zz", "percent-encoded")]
    [InlineData("amqp://a/%4", "percent-encoded")]
    [InlineData("amqp://a/%0a", "control characters")]
    public void Parse_WrongText_SaysWhatIsExpected(string text, string expected)
    {
        Assert.False(GatewayTarget.TryParse(text, out GatewayTarget? target, out string? error));
        Assert.Null(target);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.Throws<FormatException>(() => GatewayTarget.Parse(text));
    }

    [Fact]
    public void Parse_TooMuch_IsBounded()
    {
        string[] texts =
        [
            "amqp://" + string.Join(',', Enumerable.Range(0, GatewayTarget.MaxHostCount + 1).Select(i => $"h{i}")),
            "amqp://" + new string('a', 254),
            "amqp://a/" + new string('v', 256),
            "amqp://a/" + new string('v', 100_000),
            new string('x', 100_000),
        ];
        foreach (string text in texts)
        {
            Assert.False(GatewayTarget.TryParse(text, out _, out string? error));
            Assert.InRange(error.Length, 1, 600);
        }
    }

    [Fact]
    public void Parse_HostileText_IsEscapedOnOneLine()
    {
        Random random = RandomCase.Create();
        const string Letters = "amqps:/,[]%.09\u001b\u202e\r\n'\\\u00e9\ud83d ?#-";
        for (int i = 0; i < 20_000; i++)
        {
            string text = (i % 2 == 0 ? "amqp://" : "") + string.Create(
                random.Next(30), random, static (letters, from) => from.GetItems<char>(Letters, letters));
            if (GatewayTarget.TryParse(text, out GatewayTarget? target, out string? error))
            {
                Assert.All(target.Hosts, static host => Assert.InRange(host.Port, 1, IPEndPoint.MaxPort));
                continue;
            }

            Assert.DoesNotContain(error, static character => character is < ' ' or > '~');
        }
    }
}
