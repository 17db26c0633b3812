using System.Globalization;
using System.Net.Sockets;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The mark by which an end says that a thread of its is bound to a CPU, so that no other end takes it by itself. Linux
/// only.
/// </summary>
/// <remarks>
/// It is a name in the abstract namespace of unix(7), which belongs to a network namespace, as a loopback does. The
/// system gives it back however the process ends, and it needs no file that users could not share.
/// </remarks>
internal sealed class CpuClaim : IDisposable
{
    private readonly Socket _socket;

    private CpuClaim(Socket socket) => _socket = socket;

    /// <summary>Claims a CPU; null where another end has it, or where the system refuses.</summary>
    public static CpuClaim? TryTake(int cpu)
    {
        if (!OperatingSystem.IsLinux()) return null;

        Socket? socket = null;
        try
        {
            socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(
                string.Create(CultureInfo.InvariantCulture, $"\0spate/cpu/{cpu}")));
            return new CpuClaim(socket);
        }
        catch (SocketException)
        {
            socket?.Dispose();
            return null;
        }
    }

    /// <summary>Claims CPUs that somebody named: they are used even where another end has claimed them.</summary>
    public static CpuClaim[] TakeAll(IEnumerable<int> cpus) =>
        [.. cpus.Distinct().Select(TryTake).OfType<CpuClaim>()];

    /// <summary>Gives the CPU back.</summary>
    public void Dispose() => _socket.Dispose();
}
