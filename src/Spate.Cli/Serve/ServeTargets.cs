using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;

namespace Spate.Cli.Serve;

/// <summary>Reads the end points that <c>spate serve</c> forwards to.</summary>
internal static class ServeTargets
{
    public static UdpEndPoint[] Read(
        string[] texts, ServeApp app, UdpEndPoint[] locals, AddressFamily? family)
    {
        if (app != ServeApp.Relay) return [];

        if (texts.Length is 0 or > ServeOptions.MaxDestinationCount)
        {
            throw CommandException.WrongUse(texts.Length == 0
                ? "--app relay needs a destination: --to HOST:PORT, several times for several"
                : $"{texts.Length} destinations are too many: expected {ServeOptions.MaxDestinationCount} at most");
        }

        var destinations = new List<UdpEndPoint>(texts.Length);
        foreach (string text in texts)
        {
            IPEndPoint endPoint = EndPointText.ParseTarget(text, family);
            UdpEndPoint destination = UdpEndPoint.FromIPEndPoint(endPoint);
            Check(text, destination, destinations, locals);
            destinations.Add(destination);
        }

        return [.. destinations];
    }

    private static void Check(
        string text, UdpEndPoint destination, List<UdpEndPoint> destinations, UdpEndPoint[] locals)
    {
        if (destinations.Contains(destination))
        {
            throw CommandException.WrongUse($"--to {text} is named twice: once is enough");
        }

        if (destination.IsIPv6 && locals.Any(static local => local.IsIPv4))
        {
            throw CommandException.WrongUse(
                $"--to {text} is an IPv6 address, which a socket at an IPv4 address cannot send to: "
                + "listen at [::]:PORT");
        }

        if (RelayLoop.Find(locals, [destination]) is not null)
        {
            throw CommandException.WrongUse($"--to {text} ({destination}) is where this relay listens: it would send "
                + "to itself without end; name another destination");
        }
    }
}
