using System.Net.Sockets;
using Spate.Interop.Linux;
using Spate.Sockets;

namespace Spate;

// Filters and steering of arriving datagrams, for servers on Linux.
public sealed partial class UdpSocket
{
    /// <inheritdoc cref="SocketSetup.SteerGroup"/>
    internal void SteerGroup(ReadOnlySpan<sock_filter> program) => SocketSetup.SteerGroup(_context.Socket, program);

    /// <inheritdoc cref="SocketSetup.RefuseArrivals"/>
    internal void RefuseArrivals() => SocketSetup.RefuseArrivals(_context.Socket);

    /// <summary>
    /// Admits arriving datagrams again, after <see cref="UdpSocketOptions.RefusesArrivals"/> or
    /// <see cref="RefuseArrivals"/> kept them out.
    /// </summary>
    /// <exception cref="SocketException">The system refused.</exception>
    internal void AdmitArrivals()
    {
        SocketSetup.AdmitArrivals(_context.Socket);

        // The kernel counts datagrams that a filter rejected as drops. These drops did not come from a full buffer, so
        // the count restarts.
        _context.Counters.RestartKernelDrops(_context.ReadKernelDrops, _context.Socket);
    }

    /// <inheritdoc cref="SocketSetup.PreferCpu"/>
    internal void PreferCpu(int cpuIndex) => SocketSetup.PreferCpu(_context.Socket, cpuIndex);

    /// <inheritdoc cref="SocketSetup.Hide"/>
    /// <exception cref="ObjectDisposedException">The socket is closed.</exception>
    internal void Hide() => SocketSetup.Hide(_context.Socket);
}
