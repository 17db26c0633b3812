using System.Net.Sockets;

namespace Spate.Cli.Shell;

/// <summary>
/// Where the documentation says more about a fault or a warning: the one place that names its headings, beside the
/// checks of the host, whose names are headings. A repository test looks each of them up.
/// </summary>
internal static class DocsAnchor
{
    /// <summary>For a refusal without a remedy, or whose line says all there is to do.</summary>
    public const string? None = null;

    public const string BusyPort = "docs/troubleshooting.md#address-already-in-use";
    public const string NoSuchAddress = "docs/troubleshooting.md#no-such-address-no-permission-no-such-interface";
    public const string Descriptors = "docs/troubleshooting.md#few-descriptors-or-little-memory";
    public const string Memory = "docs/troubleshooting.md#not-enough-memory";
    public const string NotSupported = "docs/troubleshooting.md#platformnotsupportedexception";
    public const string SendErrors = "docs/troubleshooting.md#errors-of-a-send";
    public const string AnswersWithheld = "docs/troubleshooting.md#answerswithheld-is-above-0";
    public const string ClosedPort = "docs/troubleshooting.md#connectionrefused-icmp-errors-icmperrors-grows";
    public const string NothingArrives = "docs/troubleshooting.md#nothing-arrives";
    public const string SlowerBackend = "docs/troubleshooting.md#a-slower-backend-is-used";
    public const string UnknownHost = "docs/troubleshooting.md#a-host-name-has-no-address";
    public const string Output = "docs/troubleshooting.md#output-that-could-not-be-written";
    public const string Incomplete = "docs/troubleshooting.md#a-part-of-the-program-could-not-be-loaded";
    public const string SocketDrops = "docs/troubleshooting.md#kerneldrops-grows";
    public const string SkippedRows = "docs/troubleshooting.md#a-row-of-a-bench-did-not-run";
    public const string Root = "docs/troubleshooting.md#this-needs-root";
    public const string HandlerFaults = "docs/troubleshooting.md#spatedropcount-with-the-place-handler-grows";
    public const string Buffer = "docs/tuning.md#raise-the-limit";
    public const string TakeBack = "docs/tuning.md#set-and-take-back";
    public const string Cpus = "docs/tuning.md#placing-threads";
    public const string PathMtu = "docs/tuning.md#datagram-size-and-mtu";
    public const string GatewayStates = "docs/gateway.md#states";
    public const string Watching = "docs/watching.md#watching-a-host";
    public const string Comparing = "docs/comparing.md#comparing";
    public const string SendRate = "docs/benchmarking.md#between-two-hosts";
    public const string Verdict = "docs/measuring.md#what-a-verdict-advises";

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
