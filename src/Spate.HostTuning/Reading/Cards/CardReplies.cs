using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Spate.HostTuning.Interop.Linux;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>
/// What drivers answer to the requests of ethtool(8), for the network namespace of the thread that made this. Below
/// another root than <c>/</c> the answers are files <c>ethtool/NAME/REQUEST</c> with the bytes of such answers. One
/// thread at a time.
/// </summary>
internal sealed class CardReplies : IDisposable
{
    private const int AddressFamilyInternet = 2;
    private const int SockDatagram = 2;

    private readonly string _rootPath;
    private readonly SafeFileHandle? _socket;

    public CardReplies(string rootPath)
    {
        _rootPath = rootPath;
        if (!OperatingSystem.IsLinux() || !string.Equals(rootPath, "/", StringComparison.Ordinal)) return;

        int descriptor = SysSocket.socket(AddressFamilyInternet, SockDatagram | SysSocket.SOCK_CLOEXEC, 0);
        if (descriptor >= 0) _socket = new SafeFileHandle(descriptor, ownsHandle: true);
    }

    /// <summary>The buffer begins with the command; the answer overwrites it. False where it is refused.</summary>
    public bool TryAsk(string name, Span<byte> buffer, string key)
    {
        if (_socket is null) return TryReadRecorded(name, buffer, key);

        return TryName(name, out ifreq request) && SysIoctl.Ask(_socket, ref request, buffer);
    }

    public bool TryAsk<T>(string name, ref T request, uint command)
        where T : unmanaged =>
        TryAsk(
            name,
            MemoryMarshal.AsBytes(new Span<T>(ref request)),
            command.ToString("x", CultureInfo.InvariantCulture));

    /// <summary>The command is the first number of the buffer. IOException where the driver refuses.</summary>
    public void Tell(string name, Span<byte> buffer, string key)
    {
        if (_socket is null)
        {
            WriteRecorded(name, buffer, key);
            return;
        }

        if (!TryName(name, out ifreq request)) throw new IOException($"there is no interface {name}");
        if (SysIoctl.Ask(_socket, ref request, buffer)) return;

        throw NetworkFault.Of(Marshal.GetLastPInvokeError(), name);
    }

    public void Dispose() => _socket?.Dispose();

    private static bool TryName(string name, out ifreq request)
    {
        request = default;
        Span<byte> bytes = stackalloc byte[If.IFNAMSIZ * 4];
        if (!Encoding.UTF8.TryGetBytes(name, bytes, out int length) || length is 0 or >= If.IFNAMSIZ) return false;

        bytes[..length].CopyTo(MemoryMarshal.AsBytes(new Span<ifreq>(ref request)));
        return true;
    }

    private bool TryReadRecorded(string name, Span<byte> buffer, string key)
    {
        if (name.Contains('/', StringComparison.Ordinal)) return false;

        using HostFile file = new HostFiles(_rootPath).Open($"ethtool/{name}/{key}");
        return !file.IsMissing && file.ReadAll(buffer).Length > 0;
    }

    private void WriteRecorded(string name, ReadOnlySpan<byte> buffer, string key)
    {
        string path = Path.Combine(_rootPath, $"ethtool/{name}/{key}");
        if (name.Contains('/', StringComparison.Ordinal) || !File.Exists(path))
        {
            throw new IOException($"{name} has nothing of this kind");
        }

        File.WriteAllBytes(path, buffer);
    }
}
