using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;
using Spate.Gateway.Escaping;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>Turns what the client throws into one line for people, and into what to do about it.</summary>
internal static class RabbitFaults
{
    // What the client throws where the other side ends the connection without a word of AMQP.
    private const string NoStart = "connection.start was never received";

    // What a broker answers, with "not found", for a queue whose node is down.
    private const string HomeIsDown = "is down or inaccessible";

    // What a node answers that has no replica of a stream: the next host may have one.
    private const string IsElsewhere = "does not have a replica on the local node";

    /// <summary>Describes a connection that could not be opened.</summary>
    /// <param name="fault">What the client threw.</param>
    /// <param name="host">The host.</param>
    /// <param name="user">The user.</param>
    /// <param name="certificateFault">What was wrong with the certificate; null for nothing.</param>
    public static GatewayException OfOpening(
        Exception fault, DnsEndPoint host, string user, string? certificateFault)
    {
        string broker = $"the broker at {OneLine.Of(GatewayTarget.TextOf(host))}";
        if (certificateFault is not null) return Refusal($"{broker} is not trusted: {certificateFault}", fault);

        Exception inner = Innermost(fault);
        return inner switch
        {
            // A broker says no more than that, so that nobody learns which users there are.
            AuthenticationFailureException => Refusal(
                $"{broker} refuses user '{OneLine.Of(user)}': the user or the password is wrong, or this user may only "
                    + "connect over the loopback",
                fault),
            OperationInterruptedException { ShutdownReason.ReplyCode: Constants.NotAllowed } refused =>
                VirtualHostRefusal(refused),
            ArgumentException when IPAddress.TryParse(host.Host, out _) =>
                Failure($"{broker} cannot be reached: no program listens on its port", fault),
            IndexOutOfRangeException or MalformedFrameException or PacketNotRecognizedException
                or ProtocolVersionMismatchException or InvalidOperationException => NoBroker(broker, fault),
            IOException when inner.Message.Contains(NoStart, StringComparison.Ordinal) => NoBroker(broker, fault),
            AuthenticationException => Refusal(
                $"{broker} failed the TLS handshake: {OneLine.Of(inner.Message)}; check its port for amqps", fault),
            _ => Failure($"{broker} cannot be reached: {ReasonOf(inner)}", fault),
        };
    }

    /// <summary>Describes a queue or stream that cannot be used.</summary>
    /// <param name="fault">What the client threw.</param>
    /// <param name="name">The queue or stream.</param>
    /// <param name="kind">What it should be.</param>
    /// <param name="isDeclared">Whether it was to be declared.</param>
    public static GatewayException OfQueue(Exception fault, string name, GatewayQueueKind kind, bool isDeclared)
    {
        string what = $"{WordOf(kind)} '{OneLine.Of(name)}'";
        if (Innermost(fault) is not OperationInterruptedException { ShutdownReason: { } reason } refused)
        {
            return Failure($"{what} could not be inspected: {ReasonOf(fault)}", fault);
        }

        string said = TextOf(refused);
        return (int)reason.ReplyCode switch
        {
            Constants.NotFound when said.Contains(HomeIsDown, StringComparison.Ordinal) =>
                Failure($"{what} has no node that is up: {said}", fault),
            Constants.NotFound => Refusal(
                $"{what} does not exist: create it, or let a gateway declare it (--declare)", fault),
            Constants.PreconditionFailed when said.Contains(IsElsewhere, StringComparison.Ordinal) =>
                Failure($"{what} is on other nodes: {said}", fault),
            Constants.PreconditionFailed when !isDeclared => Refusal($"{what} cannot be read as one: {said}", fault),
            Constants.PreconditionFailed => Refusal(
                $"{what} exists with other arguments: {said}; use it without --declare, or use another",
                fault),
            Constants.AccessRefused => Refusal(
                $"{what} may not be {(isDeclared ? "declared" : "used")} by this user: {said}; give it permissions",
                fault),
            Constants.ResourceLocked => Refusal(
                $"{what} is exclusive to another connection: {said}; use another", fault),
            Constants.NotAllowed => VirtualHostRefusal(refused),
            Constants.ConnectionForced => Failure($"the broker closes its connections: {said}", fault),
            _ => isDeclared
                ? Refusal($"{what} cannot be declared: {said}", fault)
                : Failure($"{what} cannot be used: {said}", fault),
        };
    }

    /// <summary>Describes a connection that ended while its channel was opened.</summary>
    public static GatewayException OfChannel(Exception fault, DnsEndPoint host)
    {
        string broker = $"the broker at {OneLine.Of(GatewayTarget.TextOf(host))}";
        return Innermost(fault) switch
        {
            OperationInterruptedException { ShutdownReason.ReplyCode: Constants.NotAllowed } refused =>
                VirtualHostRefusal(refused),
            _ => Failure($"{broker} ended the connection: {ReasonOf(fault)}", fault),
        };
    }

    /// <summary>
    /// Whether a connection or channel was ended because the user may not do what it did: publish, for instance.
    /// </summary>
    public static bool IsRefusal(ShutdownEventArgs end) =>
        (int)end.ReplyCode is Constants.AccessRefused or Constants.NotAllowed;

    /// <summary>The word for a kind, as the command line has it.</summary>
    public static string WordOf(GatewayQueueKind kind) => kind == GatewayQueueKind.Stream ? "stream" : "queue";

    /// <summary>Why a connection or a channel ended, as a part of a sentence.</summary>
    public static string ReasonOf(Exception fault) => Innermost(fault) switch
    {
        SocketException refusal => OneLine.Of(refusal.SocketErrorCode switch
        {
            SocketError.ConnectionRefused => "no program listens on its port",
            SocketError.HostNotFound or SocketError.NoData or SocketError.TryAgain => "its name has no address",
            _ => refusal.Message,
        }),
        OperationInterruptedException interrupted => TextOf(interrupted),
        OperationCanceledException or TimeoutException => "no answer in time",
        { } other => OneLine.OfLines(other.Message),
    };

    // A host answered and refused: waiting alone does not help.
    private static GatewayException Refusal(string message, Exception fault) =>
        new(message, fault) { IsRefusal = true };

    private static GatewayException NoBroker(string broker, Exception fault) =>
        Failure($"{broker} does not speak AMQP: check the port", fault);

    // Told by the first call on the connection too, since the client does not wait for the answer to connection.open.
    private static GatewayException VirtualHostRefusal(OperationInterruptedException fault) => Refusal(
        $"the broker refuses the virtual host: {TextOf(fault)}; create it, or give the user permissions there", fault);

    private static GatewayException Failure(string message, Exception fault) => new(message, fault);

    private static string TextOf(OperationInterruptedException fault) =>
        OneLine.OfLines(fault.ShutdownReason?.ReplyText ?? fault.Message);

    // The client wraps each fault: in one for all hosts, in one per host, and in one per attempt.
    private static Exception Innermost(Exception fault)
    {
        while (fault is BrokerUnreachableException or AggregateException or ConnectFailureException
            or PossibleAuthenticationFailureException or IOException && fault.InnerException is { } inner)
        {
            fault = inner;
        }

        return fault;
    }
}
