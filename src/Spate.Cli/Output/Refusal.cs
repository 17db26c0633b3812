using System.Net.Sockets;

namespace Spate.Cli.Output;

/// <summary>Says what the system refused about a socket, and what to do.</summary>
internal static class Refusal
{
    private const int FirstUnprivilegedPort = 1024;

    public static CommandException ToReceiveAt(UdpEndPoint local, SocketException fault) =>
        CommandException.Refused(fault.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse =>
                $"port {local.Port} is busy at {local}: choose another port, or end the program that has it",
            SocketError.AddressNotAvailable =>
                $"{local} is not an address of this machine: spate info lists them; 0.0.0.0 is all of them",
            SocketError.AccessDenied when local.Port < FirstUnprivilegedPort =>
                $"no permission for port {local.Port}: choose one from {FirstUnprivilegedPort} on, or run as root",
            SocketError.AccessDenied => $"no permission to receive at {local}",
            SocketError.AddressFamilyNotSupported => $"no IPv6 here, so {local} cannot be used: choose an IPv4 address",
            SocketError.InvalidArgument when local.IsIPv6 && local.ScopeId == 0 =>
                $"{local} needs a zone: write [ADDRESS%INTERFACE]:PORT",
            _ => $"cannot receive at {local}: {fault.Message}",
        }, fault);

    public static CommandException ToSend(string targets, SocketException fault) =>
        CommandException.Refused(fault.SocketErrorCode switch
        {
            SocketError.NetworkUnreachable or SocketError.HostUnreachable =>
                $"no route to {targets}: check the address and the network",
            SocketError.AccessDenied => $"no permission to send to {targets}",
            SocketError.AddressFamilyNotSupported => $"no IPv6 here, so {targets} cannot be reached: try -4",
            SocketError.InvalidArgument =>
                $"cannot send to {targets}: a link-local address needs a zone, [ADDRESS%INTERFACE]:PORT",
            _ => $"cannot send to {targets}: {fault.Message}",
        }, fault);
}
