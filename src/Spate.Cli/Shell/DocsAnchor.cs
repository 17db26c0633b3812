using System.Net.Sockets;

namespace Spate.Cli.Shell;

/// <summary>
/// The commands that explain a fault or a warning, each by a section of the documentation: the one place that names
/// its headings, except those of the checks of the host, which are the checks' names. A test looks each of them up.
/// </summary>
internal static class DocsAnchor
{
    /// <summary>For a refusal without a remedy, or whose line says all there is to do.</summary>
    public const string? None = null;

    public const string BusyPort = "spate explain address-already-in-use";
    public const string NoSuchAddress = "spate explain no-such-address-no-permission-no-such-interface";
    public const string Descriptors = "spate explain few-descriptors-or-little-memory";
    public const string Memory = "spate explain not-enough-memory";
    public const string NotSupported = "spate explain platformnotsupportedexception";
    public const string SendErrors = "spate explain errors-of-a-send";
    public const string AnswersWithheld = "spate explain answerswithheld-is-above-0";
    public const string ClosedPort = "spate explain connectionrefused-icmp-errors-icmperrors-grows";
    public const string NothingArrives = "spate explain nothing-arrives";
    public const string SlowerBackend = "spate explain a-slower-backend-is-used";
    public const string UnknownHost = "spate explain a-host-name-has-no-address";
    public const string Output = "spate explain output-that-could-not-be-written";
    public const string Incomplete = "spate explain a-part-of-the-program-could-not-be-loaded";
    public const string SocketDrops = "spate explain kerneldrops-grows";
    public const string SkippedRows = "spate explain a-row-of-a-bench-did-not-run";
    public const string Root = "spate explain this-needs-root";
    public const string HandlerFaults = "spate explain spatedropcount-with-the-place-handler-grows";
    public const string Buffer = "spate explain raise-the-limit";
    public const string TakeBack = "spate explain set-and-take-back";
    public const string Cpus = "spate explain placing-threads";
    public const string PathMtu = "spate explain datagram-size-and-mtu";
    public const string GatewayStates = "spate explain states";
    public const string Watching = "spate explain watching-a-host";
    public const string Comparing = "spate explain compare-runs";
    public const string SendRate = "spate explain between-two-hosts";
    public const string Verdict = "spate explain verdict-advice";

    public static string? Of(SocketError error) => error switch
    {
        SocketError.AddressAlreadyInUse => BusyPort,
        SocketError.AddressNotAvailable or SocketError.AccessDenied or SocketError.AddressFamilyNotSupported =>
            NoSuchAddress,
        SocketError.TooManyOpenSockets => Descriptors,
        SocketError.MessageSize or SocketError.NetworkUnreachable or SocketError.HostUnreachable
            or SocketError.NetworkDown => SendErrors,
        SocketError.ConnectionRefused => ClosedPort,
        _ => None,
    };

    public static string Append(string line, string? anchor) =>
        anchor is null ? line : $"{line.TrimEnd('.', ' ')} ({anchor})";
}
