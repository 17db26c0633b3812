using System.Net;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;

namespace Spate.Cli.Serve;

/// <summary>Reads the end points that <c>spate serve</c> listens at and those that it forwards to.</summary>
internal static class ServeEndPoints
{
    private const int MaxLocalCount = 64;

    public static UdpEndPoint[] ReadLocals(string[] texts, AddressFamily? family)
    {
        if (texts.Length == 0) return [UdpEndPoint.FromIPEndPoint(EndPointText.ParseLocal(text: null, family))];

        if (texts.Length > MaxLocalCount)
        {
            throw CommandException.WrongUse(
                $"{texts.Length} addresses are too many: expected {MaxLocalCount} at most");
        }

        var locals = new List<UdpEndPoint>(texts.Length);
        foreach (string text in texts)
        {
            UdpEndPoint local = UdpEndPoint.FromIPEndPoint(EndPointText.ParseLocal(text, family));
            if (local.Address.IsMulticast)
            {
                throw CommandException.WrongUse(
                    $"{text} is a multicast group, which spate serve does not join: spate receive {text} does");
            }

            if (local.Port != 0 && locals.Contains(local))
            {
                throw CommandException.WrongUse($"{local} is named twice: once is enough");
            }

            locals.Add(local);
        }

        return [.. locals];
    }

    public static UdpEndPoint[] ReadDestinations(
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
