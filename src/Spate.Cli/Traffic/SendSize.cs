using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Cli.Traffic;

/// <summary>The payload sizes that the targets can take.</summary>
internal static class SendSize
{
    /// <summary>65535 less 28: the length field of IPv4 counts the headers of IPv4 and UDP.</summary>
    public const int MaxIpv4Bytes = 65_507;

    /// <summary>65535 less 8: the length field of IPv6 counts the header of UDP alone.</summary>
    public const int MaxIpv6Bytes = 65_527;

    /// <summary>Refuses a size that is too large for a datagram to one of the targets.</summary>
    public static void Check(int sizeBytes, IReadOnlyList<Target> targets)
    {
        foreach (Target target in targets)
        {
            if (sizeBytes > MaxIpv4Bytes && target.EndPoint.AddressFamily == AddressFamily.InterNetwork)
            {
                throw CommandException.WrongUse($"--size {sizeBytes} is too large for {target.Text}: "
                    + $"expected at most {MaxIpv4Bytes} bytes on IPv4");
            }
        }
    }

    /// <summary>Returns the largest payload that reaches every target unfragmented.</summary>
    /// <param name="targets">The targets.</param>
    /// <param name="narrowest">The target with the smallest MTU; null when no path's MTU is known.</param>
    /// <param name="mtuBytes">The MTU of that path.</param>
    public static int Fitting(IReadOnlyList<Target> targets, out Target? narrowest, out int mtuBytes)
    {
        int fittingBytes = int.MaxValue;
        narrowest = null;
        mtuBytes = 0;
        foreach (Target target in targets)
        {
            if (!PathMtu.TryFind(target.EndPoint, out int candidateBytes)) continue;

            int payloadBytes = PathMtu.MaxPayload(candidateBytes, target.EndPoint.AddressFamily);
            if (payloadBytes < fittingBytes)
            {
                (fittingBytes, narrowest, mtuBytes) = (payloadBytes, target, candidateBytes);
            }
        }

        return fittingBytes;
    }
}
