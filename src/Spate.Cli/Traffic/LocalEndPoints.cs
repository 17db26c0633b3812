using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;

namespace Spate.Cli.Traffic;

/// <summary>Reads the end points that a server listens at.</summary>
internal static class LocalEndPoints
{
    private const int MaxCount = 64;

    public static UdpEndPoint[] Read(string[] texts, AddressFamily? family)
    {
        if (texts.Length == 0) return [UdpEndPoint.FromIPEndPoint(EndPointText.ParseLocal(text: null, family))];

        if (texts.Length > MaxCount)
        {
            throw CommandException.WrongUse(
                $"{texts.Length} addresses are too many: expected {MaxCount} at most");
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
}
