using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Iperf.Iperf3.Wire;

/// <summary>Says for people why a TCP socket could not be bound, as the sockets of UDP do.</summary>
internal static class BindFault
{
    public static SocketException Of(IPEndPoint local, SocketException fault) =>
        new((int)fault.SocketErrorCode, TextOf(local, fault));

    private static string TextOf(IPEndPoint local, SocketException fault) => fault.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse when local.Port != 0 =>
            $"port {local.Port} is in use at {local}: another server? End it, or choose another port",
        SocketError.AddressNotAvailable =>
            $"{local.Address} is not an address of this machine: use one that is, or name none",
        SocketError.AccessDenied => $"no permission for port {local.Port} at {local.Address}: choose another port",
        _ => $"{local} cannot be bound to: {fault.Message}",
    };
}
