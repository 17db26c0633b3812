using System.Globalization;
using System.Net.Sockets;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The mark of an end whose thread is bound to a CPU: no other end takes that CPU by itself. Linux only.
/// </summary>
/// <remarks>
/// It is a name in the abstract namespace of unix(7), which belongs to a network namespace, as a loopback does. The
/// system gives it back however the process ends, and it needs no file that users could not share.
/// </remarks>
internal sealed class CpuClaim : IDisposable
{
    private readonly Socket[] _sockets;

    private CpuClaim(Socket[] sockets) => _sockets = sockets;

    /// <summary>Claims a CPU; null where another end has it, or where the system refuses.</summary>
    public static CpuClaim? TryTake(int cpu) => TryBind(cpu) is { } socket ? new CpuClaim([socket]) : null;

    /// <summary>Claims CPUs that somebody named: they are used even where another end has claimed them.</summary>
    public static CpuClaim TakeAll(IEnumerable<int> cpus) => new([.. cpus.Distinct().Select(TryBind).OfType<Socket>()]);

    /// <summary>Gives the CPUs back.</summary>
    public void Dispose() => Array.ForEach(_sockets, static socket => socket.Dispose());

    private static Socket? TryBind(int cpu)
    {
        if (!OperatingSystem.IsLinux()) return null;

        Socket? socket = null;
        try
        {
            socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(
                string.Create(CultureInfo.InvariantCulture, $"\0spate/cpu/{cpu}")));
            return socket;
        }
        catch (SocketException)
        {
            socket?.Dispose();
            return null;
        }
    }
}
