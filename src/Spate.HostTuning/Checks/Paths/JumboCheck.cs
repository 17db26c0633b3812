using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Probing;
using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Paths;

/// <summary>Whether packets are as large as a fast local network allows.</summary>
internal sealed class JumboCheck : HostCheck
{
    private const int JumboBytes = 9000;

    // Below this ESnet's guide warns from 10 Gbit/s on (fasterdata, host tuning).
    private const int MinJumboBytes = 8000;

    private static readonly string Payloads =
        $"{CheckText.Bytes(JumboBytes)} on all hosts and switches of this network: payloads of "
        + $"{CheckText.Count(PathMtu.MaxPayload(JumboBytes, AddressFamily.InterNetwork))} bytes (IPv4) or "
        + $"{CheckText.Count(PathMtu.MaxPayload(JumboBytes, AddressFamily.InterNetworkV6))} bytes (IPv6)";

    public override string Id => "jumbo";

    public override string Subject => "MTU of the interface";

    public override bool IsLinuxOnly => false;

    public override IEnumerable<CheckFinding> Examine(HostReadings host) => host.Paths.Count > 0
        ? host.Paths.Where(static path => path.Interface is { IsLoopback: false })
            .DistinctBy(static path => path.Interface!.Name, StringComparer.Ordinal)
            .Select(path => OfPath(host, path))
        : host.Interfaces.Select(one => OfInterface(host, one.Facts, isLocal: true));

    private CheckFinding OfPath(HostReadings host, PathReading path)
    {
        bool isLocal = path.Route?.IsOnLink == true;
        bool isShort = isLocal && path.Interface!.MtuBytes >= MinJumboBytes
            && path.Probe?.PathBytes < MinJumboBytes;
        return isShort
            ? Advice(
                $"interface {CheckText.Bytes(path.Interface!.MtuBytes ?? 0)}, "
                    + $"path {CheckText.Bytes(path.Probe?.PathBytes ?? 0)}",
                Payloads,
                "A switch or the target itself takes smaller packets only: those that this host sends as large as its "
                    + "interface allows are lost (ESnet, UDP tuning).") with
            { Interface = path.Interface!.Name }
            : OfInterface(host, path.Interface!, isLocal);
    }

    private CheckFinding OfInterface(HostReadings host, InterfaceFacts one, bool isLocal)
    {
        CheckFinding finding;
        if (one.MtuBytes is not { } bytes)
        {
            finding = Unknown("The system does not tell this interface's MTU.");
        }
        else if (bytes >= MinJumboBytes)
        {
            finding = Ok(CheckText.Bytes(bytes), "Packets are large, which costs few of them for the same data.");
        }
        else if (!isLocal)
        {
            finding = Ok(CheckText.Bytes(bytes), "The target is behind a router, where larger packets seldom pass.");
        }
        else if (host.Needs.Profile is HostProfile.OneGigabit or HostProfile.Latency)
        {
            finding = Ok(CheckText.Bytes(bytes), "Larger packets are of use from 10 Gbit/s on.");
        }
        else
        {
            finding = Advice(
                CheckText.Bytes(bytes),
                Payloads,
                "Each packet costs the same, whatever its size: large ones carry four to five times as much within a "
                    + "local network (ESnet, UDP tuning).");
            if (!host.Files.IsEmpty && HostSettings.IsInterface(one.Name))
            {
                finding = finding with
                {
                    Command = $"ip link set dev {one.Name} mtu {JumboBytes}",
                    Undo = $"ip link set dev {one.Name} mtu {bytes}",
                };
            }
        }

        return finding with { Interface = one.Name };
    }
}
