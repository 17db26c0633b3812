using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Spate.Serving;

namespace Spate.Tests.Hosting;

/// <summary>A host of the smallest kind, with its configuration as JSON, whose log is kept.</summary>
internal static class HostCase
{
    public static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public static HostApplicationBuilder Builder(string json, KeptLog? log = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json)));
        builder.Services.Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(20));
        if (log is not null) builder.Logging.AddProvider(log);
        return builder;
    }

    /// <summary>The options of one server on loopback, with what else is given: <c>"ThreadCount": 2</c>.</summary>
    public static string Json(string name, string more = "\"ThreadCount\": 1") =>
        $"{{ \"Udp\": {{ \"{name}\": {{ \"LocalEndPoints\": \"127.0.0.1:0\", {more} }} }} }}";

    /// <summary>Sends one datagram and returns the answer's first byte.</summary>
    public static byte Ask(UdpServer server, byte question)
    {
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        Assert.Equal(1, client.Send([question]).Sent);
        byte[] buffer = new byte[16];
        Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(buffer, TimeSpan.FromSeconds(20), out _));
        return buffer[0];
    }
}
